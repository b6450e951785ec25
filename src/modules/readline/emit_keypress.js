'use strict';

// readline.emitKeypressEvents(): makes a stream emit 'keypress' for what it reads.

const { StringDecoder } = require('string_decoder');
const { emitKeys, kEscape } = require('#readline/keys');

const kDecoder = Symbol('keypress-decoder');
const kKeys = Symbol('escape-decoder');
const kDefaultEscapeTimeout = 500;

/**
 * @param {import('stream').Readable} stream
 * @param {object} [iface] the readline interface whose time-out for escapes counts
 */
function emitKeypressEvents(stream, iface = {}) {
  if (stream[kDecoder]) return;
  stream[kDecoder] = new StringDecoder('utf8');
  const restart = () => {
    stream[kKeys] = emitKeys(stream);
    stream[kKeys].next();
  };
  restart();
  const endEscape = () => stream[kKeys].next('');
  let timer;

  function takeCharacters(text) {
    iface._sawKeyPress = [...text].length === 1;
    iface.isCompletionEnabled = false;
    let taken = 0;
    for (const character of text) {
      taken += character.length;
      if (taken === text.length) iface.isCompletionEnabled = true;
      try {
        stream[kKeys].next(character);
        // A lone escape is a key of its own if nothing follows soon.
        if (taken === text.length && character === kEscape) {
          timer = setTimeout(endEscape, iface.escapeCodeTimeout ?? kDefaultEscapeTimeout);
        }
      } catch (error) {
        // A listener threw: the decoder that called it has ended.
        restart();
        throw error;
      }
    }
  }

  function onData(input) {
    if (stream.listenerCount('keypress') > 0) {
      const text = stream[kDecoder].write(input);
      if (text) {
        clearTimeout(timer);
        takeCharacters(text);
      }
    } else {
      stream.removeListener('data', onData);
      stream.on('newListener', onNewListener);
    }
  }

  function onNewListener(event) {
    if (event !== 'keypress') return;
    stream.on('data', onData);
    stream.removeListener('newListener', onNewListener);
  }

  if (stream.listenerCount('keypress') > 0) stream.on('data', onData);
  else stream.on('newListener', onNewListener);
}

module.exports = { emitKeypressEvents };
