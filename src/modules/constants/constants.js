'use strict';

// node:constants (deprecated): those of os, fs and crypto in one object.

const { constants: os } = require('os');
const { constants: fs } = require('fs');
const { constants: crypto } = require('crypto');

Object.assign(exports, os.dlopen, os.errno, os.priority, os.signals, fs, crypto);
