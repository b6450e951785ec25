'use strict';

// Symbols through which events, streams and domains reach into an emitter without adding to its public face.

module.exports = {
  kCapture: Symbol('kCapture'),
  kShapeMode: Symbol('shapeMode'),
  kRejection: Symbol.for('nodejs.rejection'),
  kErrorMonitor: Symbol('events.errorMonitor'),
  kMaxEventTargetListeners: Symbol('events.maxEventTargetListeners'),
  kMaxEventTargetListenersWarned: Symbol('events.maxEventTargetListenersWarned'),
  kWatermarkData: Symbol.for('nodejs.watermarkData'),
  // A function on an error that returns its stack with the place of the unhandled emit added. Called by the
  // fatal exception printer, before and after an inspector has seen the error.
  kEnhanceStackBeforeInspector: Symbol('kEnhanceStackBeforeInspector'),
};
