'use strict';
/*
 * What the bundle of the command begins with: names that take the place of others in all of it.
 */

/** Where the bundle is: CommonJS has no `import.meta.url`. */
var IMPORT_META_URL = "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;";

/**
 * In the place of the constructor `Function`: the same text is compiled once. The router compiles 1,600 functions at
 * each start, and most are equal, which takes a sixth of the time. Long texts are those of validators, which differ.
 */
function KeptFunction() {
  var texts = Array.prototype.slice.call(arguments);
  var key = texts.join('\0');
  var kept = KeptFunction.kept;
  if (key.length > 1000) return Reflect.construct(Function, texts);
  if (!kept.has(key)) kept.set(key, Reflect.construct(Function, texts));
  return kept.get(key);
}

var KEPT_FUNCTION =
  KeptFunction.toString() +
  ' KeptFunction.kept = new Map(); KeptFunction.prototype = Reflect.getPrototypeOf(KeptFunction);';

module.exports = {
  text: ('"use strict"; ' + IMPORT_META_URL + ' ' + KEPT_FUNCTION).replace(
    /\bFunction\b/g,
    'globalThis.Function',
  ),
  names: { 'import.meta.url': 'importMetaUrl', Function: 'KeptFunction' },
};
