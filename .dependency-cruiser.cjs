/*
 * Which room may import which. Rooms are folders; a room that is not named after "only" is closed.
 * test/house/boundaries.check.test.ts plants a violation of every rule.
 */
const SERVER = '^packages/server/src/';
const TESTS = '((\\.test|-contract|-model)|/testing/[^/]+)\\.ts$';
const OURS = '^packages/[^/]+/(src/|[^/]+\\.ts$)';

/** What may be reached from everywhere within a package that does no input or output. */
const PURE_BUILT_INS = '^(node:)?(assert(/strict)?|buffer|crypto|string_decoder|util|zlib)$';

/** Each foreign library and the one place that may know it. */
const LIBRARY_ROOMS = {
  'typebox-only-in-wire-and-schemas': [
    ['typebox'],
    `${SERVER}(wire/|resources/[^/]+/|http/api\\.ts$)`,
  ],
  'validator-only-in-wire': [['ajv'], `${SERVER}wire/|${TESTS}`],
  // Tests run the whole service, and look into its tables.
  'web-libraries-only-in-http': [
    ['fastify', '@scalar/[^/]+', 'prom-client'],
    `${SERVER}http/|${TESTS}`,
  ],
  'engines-only-in-db': [['better-sqlite3', 'pg', 'pg-copy-streams'], `${SERVER}(db|maintenance)/`],
  'sql-only-where-rows-are': [
    ['sql-template-tag'],
    `${SERVER}(db|changes|pages|imports|maintenance|resources)/|${TESTS}`,
  ],
  'xml-parser-only-in-camt': [['saxes'], '^packages/statements/src/camt/xml\\.ts$'],
  'redis-only-in-its-limiter': [['ioredis'], `${SERVER}limiter/redis(\\.test)?\\.ts$`],
  'hashes-only-in-connectors': [['@noble/hashes'], `${SERVER}connectors/`],
  // Tests are receivers.
  'webhook-signatures-only-in-connectors': [
    ['standardwebhooks'],
    `${SERVER}connectors/webhooks/|${TESTS}`,
  ],
  'passkey-library-only-in-its-resource': [
    ['@simplewebauthn/server'],
    `${SERVER}resources/passkeys/verification\\.ts$`,
  ],
  'command-libraries-only-in-cli': [
    ['commander', 'cli-progress', '@clack/prompts'],
    '^packages/cli/',
  ],
  'browser-libraries-only-in-web': [
    ['react', 'react-dom', 'wouter', 'd3-scale', 'd3-shape', 'd3-sankey'],
    '^packages/web/src/(?!books/|texts/)',
  ],
  'cache-library-only-where-data-is-read': [
    ['@tanstack/react-query'],
    '^packages/web/src/(main\\.tsx$|(api|screens|shell)/)',
  ],
  'component-library-only-in-parts-and-screens': [
    ['react-aria-components', 'react-aria'],
    '^packages/web/src/(parts|screens)/',
  ],
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

/** The room (a pattern) imports nothing of ours but itself and the rooms listed; names of rules leave core out. */
function only(name, from, rooms, exceptions = {}) {
  return {
    name,
    severity: 'error',
    from: { path: from, ...exceptions },
    to: { path: OURS, pathNot: [from, ...rooms] },
  };
}

const CORE = '^packages/core/src/';
const STATEMENTS = '^packages/statements/src/';
const CLIENT = '^packages/client/';
const CLIENT_TYPES = '^packages/client/src/openapi-types\\.ts$';
const CLI = '^packages/cli/';
const WEB = '^packages/web/src/';
const room = (name) => `${SERVER}${name}/`;
const webRoom = (name) => `${WEB}${name}/`;
const knownLibraries = Object.values(LIBRARY_ROOMS).flatMap(([names]) => names);

/** The rooms of the server and the rooms that each may import, itself and core besides. */
const ROOMS = {
  wire: [],
  db: [],
  files: [],
  limiter: [],
  changes: ['db'],
  pages: ['db'],
  connectors: ['resources/[^/]+'],
  demo: ['db', 'changes', 'resources', 'files'],
  maintenance: ['db', 'wire', 'files'],
  // Requests import the same files as the command, so the readers are used here, and nowhere else in the server.
  imports: ['db', 'changes', 'resources', 'wire', STATEMENTS],
  jobs: ['db', 'changes', 'resources', 'connectors', 'imports'],
  resources: ['wire', 'db', 'changes', 'pages', 'connectors', 'files'],
  http: ['wire', 'resources', 'limiter', 'db', 'pages', 'connectors', 'files'],
};

const roomRules = Object.entries(ROOMS).map(([name, others]) => {
  const rooms = others.map((other) => (other.startsWith('^') ? other : room(other)));
  return only(`${name}-imports`, room(name), [CORE, ...rooms], { pathNot: TESTS });
});

/** The rooms of the browser UI; screens and shell may import all of them. */
const WEB_ROOMS = {
  books: [],
  texts: [],
  api: ['books'],
  parts: ['books', 'texts'],
};

const webRules = Object.entries(WEB_ROOMS).map(([name, others]) =>
  only(
    `web-${name}-imports`,
    webRoom(name),
    [CORE, ...others.map(webRoom), ...(name === 'api' ? [CLIENT_TYPES] : [])],
    { pathNot: TESTS },
  ),
);

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-dead-imports',
      severity: 'error',
      from: {},
      // The bundle is made by the set-up.
      to: { couldNotResolve: true, pathNot: '^\\./dist/main\\.js$' },
    },
    only('core-imports-nothing-of-ours', CORE, []),
    only('statements-only-core', STATEMENTS, [CORE]),
    only('client-imports-nothing-of-ours', CLIENT, [], { pathNot: TESTS }),
    only('cli-only-server-main-and-packages', CLI, [
      `${SERVER}main\\.ts$`,
      `${SERVER}demo/make-demo-book\\.ts$`,
      // What tests of the command put into a book.
      `${SERVER}resources/[^/]+/testing/`,
      STATEMENTS,
      CORE,
      '^packages/client/src/',
    ]),
    only('web-imports-core-and-types', WEB, [CORE, CLIENT_TYPES]),
    ...webRules,
    {
      name: 'web-runs-in-browsers',
      severity: 'error',
      comment: 'Browsers have no built-in modules of Node',
      from: { path: WEB, pathNot: TESTS },
      to: { dependencyTypes: ['core'] },
    },
    only('server-imports-no-client', SERVER, [CORE, STATEMENTS]),
    ...roomRules,
    {
      name: 'records-are-written-through-changes',
      severity: 'error',
      comment: 'What writes past changes/ is missing in the change log',
      from: { path: OURS, pathNot: `${SERVER}(db|changes|maintenance)/` },
      to: { path: `${SERVER}db/writes\\.ts$` },
    },
    {
      name: 'resources-use-each-other-through-actions-sql-and-rules',
      severity: 'error',
      from: { path: `${SERVER}resources/([^/]+)/`, pathNot: TESTS },
      to: {
        path: `${SERVER}resources/[^/]+/`,
        pathNot: [
          `${SERVER}resources/$1/`,
          `${SERVER}resources/[^/]+/(actions|sql|rules|schema|identity)\\.ts$`,
          // Removals of books are actions that need a file of their own.
          `${SERVER}resources/users/removal\\.ts$`,
        ],
      },
    },
    {
      name: 'other-rooms-use-resources-through-actions-sql-and-rules',
      severity: 'error',
      from: { path: [room('imports'), room('demo'), room('jobs')], pathNot: TESTS },
      to: {
        path: room('resources'),
        // rerate.ts and the files of jobs are for one job alone.
        pathNot: `${SERVER}resources/([^/]+/(actions|sql|rules|rerate|[a-z-]+-job)|services)\\.ts$`,
      },
    },
    {
      name: 'rules-run-no-statements',
      severity: 'error',
      comment:
        'What a resource decides needs no database: rules.ts knows schemas and the shape of rows',
      from: { path: `${SERVER}resources/([^/]+)/rules\\.ts$` },
      to: {
        path: OURS,
        pathNot: [
          CORE,
          room('wire'),
          `${SERVER}resources/$1/schema\\.ts$`,
          `${SERVER}db/tables?\\.ts$`,
        ],
      },
    },
    {
      name: 'http-reads-no-rows',
      severity: 'error',
      from: { path: room('http'), pathNot: TESTS },
      to: {
        path: room('db'),
        pathNot: `${SERVER}db/(backup-results|engine|errors|log-extent|readiness)\\.ts$`,
      },
    },
    {
      name: 'connectors-know-rules-only',
      severity: 'error',
      from: { path: room('connectors'), pathNot: TESTS },
      to: { path: room('resources'), pathNot: `${SERVER}resources/[^/]+/rules\\.ts$` },
    },
    {
      name: 'pure-rooms-do-no-io',
      severity: 'error',
      from: {
        path: [CORE, STATEMENTS, ...['wire', 'pages', 'demo'].map(room)],
        pathNot: TESTS,
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
    exclude: { path: '^packages/(cli|client|web)/dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'types', 'default'],
    },
  },
};
