'use strict';
/*
 * What the bundle of the browser UI takes instead of the files of packages, to be smaller.
 */
var path = require('path');

var ROOT = path.join(__dirname, '..');
var AS_MODULE = 'as-module';
var LATE = 'late-part';

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

/** The name of the entry of a part that is loaded later. */
function lateEntry(file) {
  return LATE + ':' + file;
}

/**
 * Lets each part that is loaded later import some files: `filesOf` names them for its entry.
 *
 * esbuild puts the modules that the same entries import into one file. So it makes one of all these modules, where it
 * would make one for each set of parts that share something, mostly of less than 1 kB.
 */
function latePartsImport(filesOf) {
  return {
    name: 'late-parts',
    setup: function (build) {
      build.onResolve({ filter: /^\./ }, function (args) {
        if (args.kind !== 'dynamic-import') return undefined;
        var from = { kind: 'import-statement', resolveDir: args.resolveDir };
        return build.resolve(args.path, from).then(function (found) {
          if (found.errors.length > 0) return { errors: found.errors };
          return { path: path.relative(ROOT, found.path), namespace: LATE };
        });
      });
      build.onLoad({ filter: /.*/, namespace: LATE }, function (args) {
        var lines = filesOf(lateEntry(args.path)).map(function (file) {
          return 'import "./' + file + '";';
        });
        var own = 'export * from "./' + args.path + '";';
        return { contents: lines.concat(own).join('\n'), resolveDir: ROOT };
      });
    },
  };
}

/** Whether an input of the bundle is a file, and not made by a plugin. */
function isFile(input) {
  return input.indexOf(AS_MODULE + ':') !== 0 && input.indexOf(LATE + ':') !== 0;
}

module.exports = {
  reactAsModule: reactAsModule,
  latePartsImport: latePartsImport,
  lateEntry: lateEntry,
  isFile: isFile,
};
