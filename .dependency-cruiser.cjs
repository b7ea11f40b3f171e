/*
 * Which room may import which. Rooms are folders, and imports go down their list.
 * test/house/boundaries.check.test.ts plants a violation of every rule.
 */
const SERVER = '^packages/server/src/';
const TESTS = '((\\.test|-contract|-model)|/testing/[^/]+)\\.ts$';
const OURS = '^packages/[^/]+/(src/|[^/]+\\.ts$)';

/** What may be reached from everywhere within a package that does no input or output. */
const PURE_BUILT_INS = '^(node:)?(assert(/strict)?|buffer|crypto|string_decoder|util|zlib)$';

/** Rooms whose operations and rules know schemas and rows. */
const SUBJECTS = 'v1|webhooks|exports|imports|history|sync|maintenance|ledger|identity|operations';

/** Each foreign library and the one place that may know it. */
const LIBRARY_ROOMS = {
  'typebox-only-in-subjects': [['typebox'], `${SERVER}((${SUBJECTS})/|http/run\\.ts$)`],
  'validator-only-in-operations': [['ajv'], `${SERVER}operations/|${TESTS}`],
  // Tests run the whole service, and look into its tables.
  'web-libraries-only-in-http': [
    ['fastify', '@scalar/[^/]+', 'prom-client'],
    `${SERVER}http/|${TESTS}`,
  ],
  'form-parser-only-in-uploads': [['@fastify/busboy'], `${SERVER}http/uploads\\.ts$`],
  'engines-only-in-db': [['better-sqlite3', 'pg', 'pg-copy-streams'], `${SERVER}(db|maintenance)/`],
  'sql-only-where-rows-are': [
    ['sql-template-tag'],
    `${SERVER}(db|book|pages|${SUBJECTS})/|${TESTS}`,
  ],
  'xml-parser-only-in-camt': [['saxes'], '^packages/statements/src/bank/camt/xml\\.ts$'],
  'redis-only-in-its-limiter': [['ioredis'], `${SERVER}limiter/redis(\\.test)?\\.ts$`],
  'hashes-only-in-identity-and-sync': [['@noble/hashes'], `${SERVER}(identity/users|sync)/`],
  // Tests are receivers.
  'webhook-signatures-only-in-webhooks': [['standardwebhooks'], `${SERVER}webhooks/|${TESTS}`],
  'passkey-library-only-in-passkeys': [
    ['@simplewebauthn/server'],
    `${SERVER}identity/passkeys/verification\\.ts$`,
  ],
  'command-libraries-only-in-cli': [
    ['commander', 'cli-progress', '@clack/prompts'],
    '^packages/cli/',
  ],
  'browser-libraries-only-in-web': [
    ['react', 'react-dom', 'wouter', 'd3-scale', 'd3-shape', 'd3-sankey'],
    '^packages/web/src/(?!books/|texts/)',
  ],
  'database-of-the-browser-only-in-its-store': [
    ['idb'],
    '^packages/web/src/api/unsent-store\\.ts$',
  ],
  'cache-library-only-where-data-is-read': [
    ['@tanstack/react-query'],
    '^packages/web/src/(main\\.tsx$|(api|screens|shell)/)',
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
const CLIENT_TYPES = '^packages/client/src/sending/openapi-types\\.ts$';
const CLI = '^packages/cli/';
const WEB = '^packages/web/src/';
const room = (name) => `${SERVER}${name}/`;
const webRoom = (name) => `${WEB}${name}/`;
const knownLibraries = Object.values(LIBRARY_ROOMS).flatMap(([names]) => names);

/** The rooms of the server from the top down: a room imports those below it. A room that is a file has its ending. */
const ROOMS = [
  ...['demo', 'http', 'all.ts', 'all-jobs.ts', 'services.ts'],
  ...['stored-times-job.ts', 'v1', 'webhooks', 'exports', 'imports', 'history'],
  ...['sync', 'maintenance', 'ledger', 'identity', 'operations', 'jobs', 'book', 'pages'],
  ...['workers', 'files', 'outside', 'limiter', 'db'],
];

/** Rooms that know less than all that is below them. */
const CLOSED = {
  maintenance: ['ledger', 'identity', 'operations', 'jobs', 'book', 'files', 'outside', 'db'],
  jobs: ['book', 'outside', 'db'],
  book: ['db'],
  pages: ['db'],
  workers: ['db'],
  files: [],
  outside: [],
  limiter: [],
};

/** The subjects of the ledger from the top down; files directly in the ledger are above them. */
const SUBJECTS_OF_LEDGER = [
  ...['balance-history', 'summary', 'budgets', 'transactions', 'rules', 'recurring', 'tags'],
  ...['categories', 'accounts', 'currencies'],
];

/** Bank files are read in one room. */
const READERS = { imports: [STATEMENTS] };

const pathOf = (name) =>
  name.endsWith('.ts') ? `${SERVER}${name.replace('.', '\\.')}$` : room(name);

const roomRules = ROOMS.map((name, at) => {
  const below = (CLOSED[name] ?? ROOMS.slice(at + 1)).map(pathOf);
  const rooms = [CORE, ...below, ...(READERS[name] ?? [])];
  return only(`${name}-imports`, pathOf(name), rooms, { pathNot: TESTS });
});

const ledgerRules = SUBJECTS_OF_LEDGER.map((name, at) => ({
  name: `ledger-${name}-imports`,
  severity: 'error',
  from: { path: room(`ledger/${name}`), pathNot: TESTS },
  to: {
    path: room('ledger'),
    pathNot: SUBJECTS_OF_LEDGER.slice(at).map((below) => room(`ledger/${below}`)),
  },
}));

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
    [CORE, ...others.map(webRoom), ...(['api', 'books'].includes(name) ? [CLIENT_TYPES] : [])],
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
    // The command wires rooms as the server does. Requests are for the server alone.
    only('cli-runs-rooms', CLI, [
      ...['main.ts', 'config.ts', 'settings.ts', 'database.ts', 'webhook-targets.ts'].map(pathOf),
      ...['demo', ...SUBJECTS.split('|').slice(1)].map(room),
      `${SERVER}(files|outside)/`,
      `${SERVER}(book/undo|db/(engine|sqlite/files))\\.ts$`,
      // What tests of the command put into a book, and what it left there.
      `${SERVER}.+/testing/`,
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
    ...ledgerRules,
    {
      name: 'config-loads-no-framework',
      severity: 'error',
      comment: 'Every command reads settings, and the framework takes longer to load than most run',
      from: { path: `${SERVER}(config|settings)\\.ts$` },
      to: { path: room('http'), pathNot: `${SERVER}http/client\\.ts$` },
    },
    {
      name: 'records-are-written-through-the-book',
      severity: 'error',
      comment: 'What writes past book/ is missing in the change log',
      from: { path: OURS, pathNot: `${SERVER}(db|book|maintenance)/` },
      to: { path: `${SERVER}db/writes\\.ts$` },
    },
    {
      name: 'rules-run-no-statements',
      severity: 'error',
      comment:
        'What a subject decides needs no database: rules.ts knows schemas and the shape of rows',
      from: { path: `${SERVER}(.+/)(plaid-|)rules\\.ts$`, pathNot: room('db') },
      to: {
        path: OURS,
        pathNot: [
          CORE,
          room('operations'),
          `${SERVER}$1$2schema\\.ts$`,
          `${SERVER}db/(table|tables/tables)\\.ts$`,
          `${SERVER}(outside/provider-error|sync/prices/worth|ledger/(accounts/balance-source|transactions/schema))\\.ts$`,
        ],
      },
    },
    {
      name: 'http-reads-no-rows',
      severity: 'error',
      from: { path: room('http'), pathNot: TESTS },
      to: {
        path: room('db'),
        pathNot: `${SERVER}db/(tables/backup-results|engine|errors|log-extent|readiness)\\.ts$`,
      },
    },
    {
      name: 'pure-rooms-do-no-io',
      severity: 'error',
      from: {
        path: [CORE, STATEMENTS, ...['operations', 'pages', 'demo'].map(room)],
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
