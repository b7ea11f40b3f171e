'use strict';
/*
 * What the bundle of the browser UI takes instead of the files of packages, to be smaller.
 */
var AS_MODULE = 'as-module';

/** The text of a module with the exports of a CommonJS package; those that nothing imports are left out. */
function moduleOf(name) {
  var names = Object.keys(require(name)).filter(function (each) {
    return /^[a-zA-Z]\w*$/.test(each);
  });
  var lines = names.map(function (each) {
    return 'export const ' + each + ' = /* @__PURE__ */ (() => whole.' + each + ')();';
  });
  return ['import whole from "' + name + '";', 'export default whole;'].concat(lines).join('\n');
}

/** Gives React the form of a module: each part would unpack the CommonJS package again, in all 6 kB by gzip. */
var reactAsModule = {
  name: 'react-as-module',
  setup: function (build) {
    build.onResolve({ filter: /^react(\/jsx-runtime)?$/ }, function (args) {
      if (args.namespace === AS_MODULE || args.kind !== 'import-statement') return undefined;
      return {
        path: args.path,
        namespace: AS_MODULE,
        pluginData: args.resolveDir,
        sideEffects: false,
      };
    });
    build.onLoad({ filter: /.*/, namespace: AS_MODULE }, function (args) {
      return { contents: moduleOf(args.path), resolveDir: args.pluginData };
    });
  },
};

/** Whether an input of the bundle is a file, and not made by a plugin. */
function isFile(input) {
  return input.indexOf(AS_MODULE + ':') !== 0;
}

module.exports = { reactAsModule: reactAsModule, isFile: isFile };
