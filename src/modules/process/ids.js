'use strict';

// Users and groups of the process.

const native = binding('process');
const { codes: { ERR_INVALID_ARG_TYPE, ERR_UNKNOWN_CREDENTIAL } } = require('#internal/errors');
const { validateUint32, validateArray } = require('#internal/validators');

function validateId(id, name) {
  if (typeof id === 'number') {
    validateUint32(id, name);
  } else if (typeof id !== 'string') {
    throw new ERR_INVALID_ARG_TYPE(name, ['number', 'string'], id);
  }
}

function setter(name, kind) {
  return { [name](id) {
    validateId(id, 'id');
    if (typeof id === 'number') id |= 0;
    if (native[name](typeof id === 'number' ? id >>> 0 : id) === 1) throw new ERR_UNKNOWN_CREDENTIAL(kind, id);
  } }[name];
}

function setgroups(groups) {
  validateArray(groups, 'groups');
  groups.forEach((group, index) => validateId(group, `groups[${index}]`));
  const unknown = native.setgroups(groups);
  if (unknown > 0) throw new ERR_UNKNOWN_CREDENTIAL('Group', groups[unknown - 1]);
}

function initgroups(user, extraGroup) {
  validateId(user, 'user');
  validateId(extraGroup, 'extraGroup');
  const result = native.initgroups(user, extraGroup);
  if (result === 1) throw new ERR_UNKNOWN_CREDENTIAL('User', user);
  if (result === 2) throw new ERR_UNKNOWN_CREDENTIAL('Group', extraGroup);
}

function install(target, define) {
  for (const name of ['getuid', 'geteuid', 'getgid', 'getegid']) define(target, name, native[name]);
  define(target, 'getgroups', native.getgroups);
  define(target, 'initgroups', initgroups);
  define(target, 'setgroups', setgroups);
  define(target, 'setegid', setter('setegid', 'Group'));
  define(target, 'seteuid', setter('seteuid', 'User'));
  define(target, 'setgid', setter('setgid', 'Group'));
  define(target, 'setuid', setter('setuid', 'User'));
}

module.exports = { install };
