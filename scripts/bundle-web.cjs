'use strict';
/*
 * Bundles the browser UI into packages/web/dist: scripts and one style sheet with the hash of their content in the
 * name, each with a copy by gzip, the page that loads them, and the service worker that keeps them.
 *
 * Plain JavaScript, because the set-up runs on any Node. If it fails, `dist` holds the reason alone, and the server
 * shows it on its first page.
 */
var childProcess = require('child_process');
var crypto = require('crypto');
var fs = require('fs');
var path = require('path');
var zlib = require('zlib');
var inputs = require('../packages/cli/bundle-inputs.cjs');
var replaced = require('./web-plugins.cjs');

var ROOT = path.join(__dirname, '..');
var ROOM = 'packages/web';
var SOURCES = ROOM + '/src';
var FOLDER = path.join(ROOT, ROOM, 'dist');
var MAIN = SOURCES + '/main.tsx';
var PAGE = SOURCES + '/index.html';
var MANIFEST = SOURCES + '/manifest.json';
var FONT = 'node_modules/@fontsource-variable/inter';
var WORKER = SOURCES + '/worker.ts';
var ICONS = SOURCES + '/styles/icons.svg';
/** The texts of a language are a part of their own. */
var GERMAN = SOURCES + '/texts/de/all.ts';
var SCREENS = SOURCES + '/screens/index.ts';
/** Half of the screens: what so many share is one file, which the others that use some of it load, too. */
var SHARED_BY = 6;
/** Layers of the style sheet, in their order, with the files of each. A folder means all its files. */
var LAYERS = ['reset', 'tokens', 'base', 'parts', 'screens'];
/** Inputs that esbuild does not list. */
var OTHER_INPUTS = [
  ...['package-lock.json', 'tsconfig.json', 'scripts/bundle-web.cjs', 'packages/web/package.json'],
  ...['scripts/web-plugins.cjs', 'packages/web/tsconfig.json', PAGE, MANIFEST],
  ...[WORKER, ICONS, SCREENS],
];
var STYLE_FOLDERS = [SOURCES + '/styles/parts', SOURCES + '/styles/screens'];
function read(file) {
  return fs.readFileSync(path.join(ROOT, file), 'utf8');
}

function record() {
  return inputs.recordIn(FOLDER);
}

/** The style sheet as imports into layers. */
function styles() {
  var lines = LAYERS.flatMap(function (layer) {
    var folder = SOURCES + '/styles/' + layer;
    var isFolder = fs.existsSync(path.join(ROOT, folder));
    var names = isFolder ? inputs.copiedFiles(folder) : [];
    var files = isFolder
      ? names.map(function (name) {
          return layer + '/' + name;
        })
      : [layer + '.css'];
    return files.map(function (file) {
      return '@import "./' + file + '" layer(' + layer + ');';
    });
  });
  return '@layer ' + LAYERS.join(', ') + ';\n' + lines.join('\n');
}

/**
 * The options of esbuild for the scripts. In development they are readable, and load again when they change.
 * `filesOf` names what a part that is loaded later imports with its own files.
 */
function scriptOptions(isDevelopment, filesOf) {
  return {
    absWorkingDir: ROOT,
    entryPoints: { main: MAIN },
    outdir: path.join(FOLDER, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    plugins: [replaced.reactAsModule, replaced.latePartsImport(filesOf)],
    minify: !isDevelopment,
    sourcemap: isDevelopment ? 'inline' : false,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    jsxDev: isDevelopment,
    tsconfig: path.join(ROOT, ROOM, 'tsconfig.json'),
    define: {
      'process.env.NODE_ENV': isDevelopment ? '"development"' : '"production"',
      'process.env.VIRT_ON': 'undefined',
      IS_DEVELOPMENT: String(isDevelopment),
    },
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
  };
}

function styleOptions(isDevelopment) {
  return {
    absWorkingDir: ROOT,
    stdin: { contents: styles(), resolveDir: path.join(ROOT, SOURCES, 'styles'), loader: 'css' },
    outdir: path.join(FOLDER, 'assets'),
    entryNames: 'style-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file' },
    bundle: true,
    minify: !isDevelopment,
    // Nested rules and light-dark() stay as they are: the supported browsers have them.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    metafile: true,
    logLevel: 'silent',
  };
}

/** The name of the output file of an entry, below `assets`. */
function outputs(metafile) {
  return Object.keys(metafile.outputs).map(function (file) {
    return Object.assign({ name: path.basename(file) }, metafile.outputs[file]);
  });
}

function fileOf(metafile, ending) {
  return outputs(metafile).find(function (output) {
    return output.name.endsWith(ending);
  }).name;
}

/** The output of a source, and every part that it imports before it can run. */
function loadOf(metafile, source) {
  var all = outputs(metafile);
  var entry = all.find(function (output) {
    return output.entryPoint === source;
  });
  var found = [entry];
  for (var at = 0; at < found.length; at += 1) {
    found[at].imports.forEach(function (each) {
      if (each.kind !== 'import-statement') return;
      var next = all.find(function (output) {
        return output.name === path.basename(each.path);
      });
      if (next !== undefined && found.indexOf(next) === -1) found.push(next);
    });
  }
  return found.map(function (output) {
    return output.name;
  });
}

/** The first part of the path of each screen, with its source. */
function screenSources() {
  var sources = {};
  read(SCREENS).replace(
    /screen\(\s*'(\/[a-z-]*)[^']*',[^']*import\('\.\/([^']+)'\)/g,
    function (_all, first, file) {
      sources[first] = SOURCES + '/screens/' + file;
      return '';
    },
  );
  return sources;
}

/** The outputs that many screens load and the first load does not have. */
function sharedOutputs(metafile) {
  var first = loadOf(metafile, MAIN);
  var sources = screenSources();
  var loads = Object.keys(sources).map(function (each) {
    return loadOf(metafile, replaced.lateEntry(sources[each]));
  });
  return outputs(metafile).filter(function (output) {
    var ofScreens = loads.filter(function (names) {
      return names.indexOf(output.name) !== -1;
    });
    return ofScreens.length >= SHARED_BY && first.indexOf(output.name) === -1;
  });
}

/** Returns a function that names what a later part imports: if it uses something of what is shared, all of it. */
function filesOfParts(metafile) {
  var shared = sharedOutputs(metafile);
  var files = shared.flatMap(function (output) {
    return Object.keys(output.inputs).filter(replaced.isFile);
  });
  return function (entry) {
    var names = loadOf(metafile, entry);
    var isUsed = shared.some(function (output) {
      return names.indexOf(output.name) !== -1;
    });
    return onlyMain(entry).concat(isUsed ? files : []);
  };
}

/** The first load is there before any later part, but for the texts of a language, for which it waits. */
function onlyMain(entry) {
  return entry === replaced.lateEntry(GERMAN) ? [] : [MAIN];
}

/** Bundles the scripts twice: it is known only then what the screens share. */
function buildScripts(isDevelopment) {
  var esbuild = require('esbuild');
  var first = Object.assign(scriptOptions(isDevelopment, onlyMain), { write: false });
  return esbuild.build(first).then(function (result) {
    return esbuild.build(scriptOptions(isDevelopment, filesOfParts(result.metafile)));
  });
}

/**
 * Writes the page, and what the server has to know: the paths for which it gives the page, and the files of the first
 * load; and those of each screen, for the test of their size.
 */
function writePage(scripts, style) {
  var names = loadOf(scripts, MAIN);
  var sources = screenSources();
  var sheet = fileOf(style, '.css');
  var font = fileOf(style, '.woff2');
  var tags = names
    .slice(1)
    .map(function (name) {
      return '<link rel="modulepreload" href="{{base}}/assets/' + name + '" />';
    })
    .concat(
      '<link rel="preload" href="{{base}}/assets/' +
        font +
        '" as="font" type="font/woff2" crossorigin />',
      '<link rel="stylesheet" href="{{base}}/assets/' + sheet + '" />',
      '<script type="module" src="{{base}}/assets/' + names[0] + '"></script>',
    );
  var page = read(PAGE)
    .replace('<!-- files -->', tags.join('\n    '))
    .replace('<!-- icons -->', read(ICONS).replace(/\n\s*/g, ''));
  fs.writeFileSync(path.join(FOLDER, 'index.html'), page);
  var screens = {};
  Object.keys(sources).forEach(function (first) {
    screens[first] = loadOf(scripts, replaced.lateEntry(sources[first]));
  });
  var about = {
    paths: ['/start', '/sign-in'].concat(Object.keys(sources)),
    firstLoad: names,
    screens: screens,
    // What is loaded for a language alone.
    german: loadOf(scripts, replaced.lateEntry(GERMAN)).slice(0, 1),
  };
  fs.writeFileSync(path.join(FOLDER, 'web.json'), JSON.stringify(about, null, 2));
}

/** Writes the service worker, which keeps the page and all files of `assets`, and the manifest of the app. */
function writeWorker() {
  var names = fs.readdirSync(path.join(FOLDER, 'assets')).sort();
  var hash = crypto.createHash('sha256').update(fs.readFileSync(path.join(FOLDER, 'index.html')));
  hash.update(JSON.stringify(names)).update(read(WORKER));
  fs.writeFileSync(path.join(FOLDER, 'manifest.webmanifest'), read(MANIFEST));
  // Its licence goes with the font.
  fs.writeFileSync(path.join(FOLDER, 'font-licence.txt'), read(FONT + '/LICENSE'));
  return require('esbuild').build({
    absWorkingDir: ROOT,
    entryPoints: [WORKER],
    outfile: path.join(FOLDER, 'worker.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2023',
    define: {
      SHELL_FILES: JSON.stringify(names),
      SHELL_HASH: JSON.stringify(hash.digest('hex').slice(0, 16)),
    },
    legalComments: 'none',
    logLevel: 'silent',
  });
}

/** Writes a copy by gzip next to each file. */
function compress() {
  var folder = path.join(FOLDER, 'assets');
  var names = fs.readdirSync(folder).filter(function (name) {
    // A font is compressed already.
    return !name.endsWith('.woff2');
  });
  names.forEach(function (name) {
    var bytes = zlib.gzipSync(fs.readFileSync(path.join(folder, name)), { level: 9 });
    fs.writeFileSync(path.join(folder, name + '.gz'), bytes);
  });
}

/** Bundles, and resolves when all files are written. */
function bundle(isDevelopment) {
  var begunMs = record().begin();
  return Promise.resolve()
    .then(function () {
      var esbuild = require('esbuild');
      var style = esbuild.build(styleOptions(isDevelopment));
      return Promise.all([buildScripts(isDevelopment), style]);
    })
    .then(function (results) {
      writePage(results[0].metafile, results[1].metafile);
      return writeWorker().then(function () {
        return results;
      });
    })
    .then(function (results) {
      var scripts = results[0].metafile;
      var style = results[1].metafile;
      compress();
      var sources = Object.keys(scripts.inputs)
        .filter(replaced.isFile)
        .concat(Object.keys(style.inputs))
        .filter(function (file) {
          return file.indexOf('node_modules/') === -1 && file.indexOf('<stdin>') === -1;
        });
      var files = Array.from(new Set(sources.concat(OTHER_INPUTS)));
      // What was made for development is never fresh.
      if (!isDevelopment) record().write(begunMs, files, STYLE_FOLDERS);
    });
}

/** Keeps the reason alone, which the server shows. */
function fail(error) {
  fs.rmSync(FOLDER, { recursive: true, force: true });
  fs.mkdirSync(FOLDER, { recursive: true });
  fs.writeFileSync(path.join(FOLDER, 'problem.txt'), error.message);
  console.error('Cannot bundle the browser UI, so only the API is served: ' + error.message);
}

function isFresh() {
  return !fs.existsSync(path.join(ROOT, SOURCES)) || record().compare() === 'fresh';
}

/**
 * Rebuilds the bundle unless it is fresh. If that fails, the server starts without the UI.
 *
 * A process of its own does it: esbuild runs plugins without blocking alone, and the set-up goes step by step.
 */
function bundleWebWhenStale() {
  if (isFresh()) return;
  var options = { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] };
  var result = childProcess.spawnSync(process.execPath, [__filename], options);
  if (result.status !== 0) fail(result.error || new Error('the bundler ended early'));
}

module.exports = { bundle: bundle, bundleWebWhenStale: bundleWebWhenStale };

if (require.main === module && !isFresh()) bundle(false).catch(fail);
