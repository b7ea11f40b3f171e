/*
 * Who may import whom. Rooms are folders; a room that is not named after "only" is closed.
 * test/boundaries.test.ts plants a violation of every rule.
 */
const SERVER = '^packages/server/src/';
const TESTS = '((\\.test|-contract|-model)|/testing/[^/]+)\\.ts$';
const OURS = '^packages/[^/]+/(src/|[^/]+\\.ts$)';

/** What may be reached from everywhere within a package that does no input or output. */
const PURE_BUILT_INS = '^(node:)?(assert(/strict)?|buffer|crypto|string_decoder|util|zlib)$';

/** Each foreign library and the one place that may know it. */
const LIBRARY_ROOMS = {
  'typebox-only-in-contract': [['typebox'], '^packages/contract/'],
  'web-libraries-only-in-http': [
    ['fastify', 'ajv', '@scalar/[^/]+', 'prom-client'],
    `${SERVER}http/`,
  ],
  'databases-only-in-store': [['better-sqlite3', 'sql-template-tag', 'pg'], `${SERVER}store/`],
  'redis-only-in-its-limiter': [['ioredis'], `${SERVER}limiter/redis(\\.test)?\\.ts$`],
  'command-libraries-only-in-cli': [['commander', 'cli-progress'], '^packages/cli/'],
  'type-generator-only-in-the-client-build': [['openapi-typescript'], '^packages/client/build/'],
  'test-libraries-only-in-tests': [
    ['fast-check', '@lunch-money/[^/]+', 'playwright-core', 'yaml', 'recheck'],
    TESTS,
  ],
};

/** A library as it is found: below some node_modules folder, its types, or by name alone. */
function library(names) {
  const plain = names.join('|');
  const inScope = plain.replaceAll('@', '').replaceAll('/', '__');
  return `(^|node_modules/)(${plain}|@types/(${inScope}))(/|$)`;
}

const oneRoomRules = Object.entries(LIBRARY_ROOMS).map(([name, [names, room]]) => ({
  name,
  severity: 'error',
  comment: `${names.join(', ')} may be imported from ${room} alone`,
  from: { path: '^packages/', pathNot: room },
  to: { path: library(names) },
}));

/** The room (a pattern) imports nothing of ours but itself and the rooms named. */
function only(name, from, rooms, exceptions = {}) {
  return {
    name,
    severity: 'error',
    from: { path: from, ...exceptions },
    to: { path: OURS, pathNot: [from, ...rooms] },
  };
}

const CONTRACT = '^packages/contract/src/';
const STATEMENTS = '^packages/statements/src/';
const HTTP_MAY = [`${SERVER}records/`, `${SERVER}limiter/`, CONTRACT, STATEMENTS];
const knownLibraries = Object.values(LIBRARY_ROOMS).flatMap(([names]) => names);

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-dead-imports', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only('contract-imports-nothing-of-ours', CONTRACT, []),
    only('statements-import-nothing-of-ours', STATEMENTS, []),
    only('records-only-contract', `${SERVER}records/`, [CONTRACT]),
    only('store-only-records-and-contract', `${SERVER}store/`, [`${SERVER}records/`, CONTRACT]),
    only('connectors-only-records-and-contract', `${SERVER}connectors/`, [
      `${SERVER}records/`,
      CONTRACT,
    ]),
    only('client-imports-nothing-of-ours', '^packages/client/', []),
    only('limiter-imports-nothing-of-ours', `${SERVER}limiter/`, []),
    only('http-never-store', `${SERVER}http/`, HTTP_MAY, { pathNot: TESTS }),
    only('http-tests-may-see-store', `${SERVER}http/.*${TESTS}`, [
      `${SERVER}http/`,
      `${SERVER}store/`,
      ...HTTP_MAY,
    ]),
    only('server-imports-no-client', `${SERVER}[^/]+\\.ts$`, [SERVER, CONTRACT, STATEMENTS]),
    only('cli-only-server-main-and-statements', '^packages/cli/', [
      `${SERVER}main\\.ts$`,
      `${SERVER}records/demo/make-demo-book\\.ts$`,
      STATEMENTS,
      '^packages/client/src/',
    ]),
    {
      name: 'pure-rooms-do-no-io',
      severity: 'error',
      comment: 'The contract is written to docs/openapi.json by build-openapi.ts, and by it alone',
      from: {
        path: [CONTRACT, STATEMENTS, `${SERVER}records/`],
        pathNot: [TESTS, `${CONTRACT}build-openapi\\.ts$`],
      },
      to: { dependencyTypes: ['core'], pathNot: PURE_BUILT_INS },
    },
    {
      name: 'client-runs-everywhere',
      severity: 'error',
      comment: 'Browsers, Deno and Bun have no built-in modules of Node',
      from: { path: '^packages/client/src/', pathNot: TESTS },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'only-tests-import-tests',
      severity: 'error',
      from: { path: OURS, pathNot: TESTS },
      to: { path: TESTS },
    },
    ...oneRoomRules,
    {
      name: 'every-library-has-a-room',
      severity: 'error',
      comment: 'Name the library and its room in LIBRARY_ROOMS first',
      from: { path: '^packages/' },
      to: { path: '(^|/)node_modules/', pathNot: library(knownLibraries) },
    },
  ],
  options: {
    // Read the imports of types too; libraries are recognised where they lie, and not entered.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // The bundle of the command; libraries have folders of that name too, and those must be seen.
    exclude: { path: '^packages/cli/dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'types', 'default'],
    },
  },
};
