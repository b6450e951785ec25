'use strict';

// The phrases of status codes come from the codec, so that there is one list.

const STATUS_CODES = { ...binding('http').statusCodes };

module.exports = { STATUS_CODES };
