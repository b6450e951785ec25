'use strict';
// node:sea: what is packed into a single executable. Gyre makes none, so there is never anything.

const {
  codes: { ERR_NOT_IN_SINGLE_EXECUTABLE_APPLICATION },
} = require('#internal/errors');
const { validateString } = require('#internal/validators');

function isSea() {
  return false;
}

function refuse() {
  throw new ERR_NOT_IN_SINGLE_EXECUTABLE_APPLICATION();
}

function getRawAsset(key) {
  validateString(key, 'key');
  refuse();
}

function getAsset(key, encoding) {
  if (encoding !== undefined) validateString(encoding, 'encoding');
  validateString(key, 'key');
  refuse();
}

function getAssetAsBlob(key, options) {
  void options;
  validateString(key, 'key');
  refuse();
}

function getAssetKeys() {
  refuse();
}

module.exports = { isSea, getAsset, getRawAsset, getAssetAsBlob, getAssetKeys };
