/*
 * What counts as used. `npm run check` runs knip twice: from tests and programs, and with --production from programs
 * alone, which finds what only tests use. scripts/unused.check.test.ts plants violations.
 */
const isProduction = process.argv.includes('--production');

export default {
  include: ['files', 'exports', 'types', 'nsExports', 'nsTypes', 'unresolved', 'duplicates'],
  // An exclamation mark: also in production.
  workspaces: {
    '.': {
      entry: [
        '**/*.test.ts',
        'bench/**/*.{ts,cjs}!',
        'scripts/*.{ts,cjs}!',
        'scripts/tests/{reporter,worker}.ts!',
        'test/web/pictures.ts',
        'prove/{*,*/f[0-9]*,*/*-writer,*/many-sources,*/lock-holder}.ts!',
      ],
      project: ['{bench,prove,scripts}/**/*.{ts,cjs}!', 'test/**/*.ts', '!**/testing/**!'],
    },
    'packages/web': {
      // TypeScript and JSX for browsers; the bundler finds the entries.
      entry: ['**/*.test.ts', 'src/{main.tsx,worker.ts}!'],
      project: ['src/**/*.{ts,tsx}!', '!**/testing/**!'],
    },
    'packages/*': {
      entry: ['**/*.test.ts', '{build/*,src/build-*,src/main,src/imports/previews/worker}.ts!'],
      project: [
        '*.cjs!',
        '{build,src}/**/*.{ts,cjs}!',
        '!**/*-{contract,model}.ts!',
        '!**/testing/**!',
      ],
    },
  },
  // A type may be exported because an exported function has it in its signature.
  ignoreExportsUsedInFile: isProduction || { interface: true, type: true },
  includeEntryExports: !isProduction,
  ignoreIssues: {
    // The bundler takes them instead of modules.
    'scripts/bundle-{assert,semver}.cjs': ['exports'],
    // coffer.cjs calls it, in a file that it chooses at run time.
    'packages/cli/src/main.ts': ['exports'],
    // The test runner looks for the default export of a reporter.
    'scripts/tests/reporter.ts': ['exports'],
    // prove/checks.ts loads all of them.
    'prove/*/f[0-9]*.ts': ['exports'],
    // The bundler takes them in the place of other modules.
    'scripts/bundle-{http2,reader}.cjs': ['exports'],
  },
};
