'use strict';

/** A schema that cannot be used; the message says where and why. */
class SchemaError extends TypeError {}

module.exports = { SchemaError };
