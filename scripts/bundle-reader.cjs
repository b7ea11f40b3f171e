'use strict';
/* The API reader's package as a part of the bundle: its default export, as an import finds it in the package. */
module.exports = require('@scalar/fastify-api-reference').default;
