import { defineConfig } from 'eslint/config';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const TESTS = [
  '**/*.test.ts',
  '**/*-contract.ts',
  '**/*-model.ts',
  '**/testing/*.ts',
  'test/**/*.ts',
];
const SERVER = 'packages/server/src';
/** Rooms that get the time handed in, and keep dates as text. */
const WITHOUT_CLOCK = [
  ...['all.ts', 'demo/**/*.ts', 'pages/**/*.ts', 'operations/**/*.ts', 'v1/**/*.ts'],
  ...['webhooks', 'exports', 'imports', 'history', 'sync', 'ledger', 'identity'].map(
    (room) => `${room}/**/*.ts`,
  ),
].map((path) => `${SERVER}/${path}`);
/** Files of these rooms that ask other servers: they measure how long one takes, and read its dates. */
const ASKING = [
  'sync/banks/{bank-reader,simplefin}.ts',
  'sync/crypto/{reader,kraken,coinbase,ethereum}.ts',
  'sync/prices/asset-source.ts',
  'webhooks/{post,webhook-sender}.ts',
].map((path) => `${SERVER}/${path}`);
/** Rooms that may write rows past a change: the change log itself, the engines, and the repair of a database. */
const WRITERS = ['db', 'book', 'maintenance'].map((room) => `${SERVER}/${room}/**/*.ts`);

/** No defaults, and no files that pass on what others declare. */
const plainExports = {
  selector: 'ExportDefaultDeclaration, ExportAllDeclaration, ExportSpecifier',
  message: 'Export a name where it is declared, and import it from there',
};
const noDate = {
  selector: 'NewExpression[callee.name="Date"], MemberExpression[object.name="Date"]',
  message: 'A date is YYYY-MM-DD text checked against the calendar, and the time is handed in',
};
const noFloatMoney = [
  {
    selector:
      'CallExpression[callee.name=/^(parseFloat)$/], MemberExpression[property.name="parseFloat"]',
    message: 'Money is an integer of ten-thousandths, never a float',
  },
  {
    selector: 'MemberExpression[property.name=/^(toFixed|toPrecision)$/]',
    message: 'Money is printed from its digits, never rounded from a float',
  },
];

const noWritesPastTheLog = [
  {
    selector:
      'TaggedTemplateExpression[tag.name="sql"] TemplateElement:first-child[value.raw=/^\\s*(INSERT|UPDATE|DELETE)\\b/i]',
    message: 'Records are written by a change (book/change.ts), other rows by unlogged.ts',
  },
  {
    selector: 'CallExpression[callee.name="insertMany"]',
    message: 'Many records are written by Change.insertAll (book/change.ts)',
  },
];
const noDriverErrors = {
  selector:
    'BinaryExpression[operator=/^[!=]==$/] > MemberExpression[object.name=/^(error|caught|cause)$/][property.name=/^(name|code)$/]',
  message: 'What failed in a database is a kind: isDatabaseError (db/errors.ts)',
};

export default defineConfig(
  { ignores: ['**/node_modules/', 'docs/', '**/dist/', '.cache/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Settings come in by name from an index signature, where tsconfig asks for brackets too.
      '@typescript-eslint/dot-notation': 'off',
      // A spread string is its code points, which is what is meant where it is done.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // An index that a loop bounds needs it, under noUncheckedIndexedAccess.
      '@typescript-eslint/no-non-null-assertion': 'off',
      eqeqeq: 'error',
      'max-lines-per-function': ['error', { max: 100, skipBlankLines: true, skipComments: true }],
      'no-constant-binary-expression': 'error',
      'no-eval': 'error',
      'no-param-reassign': 'error',
      'no-restricted-syntax': ['error', plainExports],
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  {
    // The type of a schema is its value, and the schema library infers it.
    files: [`${SERVER}/operations/schema.ts`],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    files: ['packages/{core,server,statements}/src/**/*.ts'],
    rules: { 'no-console': 'error' },
  },
  {
    // Core computes dates with the platform's calendar, from texts that it has checked.
    files: [...WRITERS, 'packages/core/src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', plainExports, ...noFloatMoney] },
  },
  {
    files: ['packages/statements/src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', plainExports, noDate, ...noFloatMoney] },
  },
  {
    files: [`${SERVER}/**/*.ts`],
    ignores: [...WRITERS, ...TESTS],
    rules: { 'no-restricted-syntax': ['error', plainExports, ...noWritesPastTheLog] },
  },
  {
    files: WITHOUT_CLOCK,
    ignores: [...TESTS, ...ASKING],
    rules: {
      'no-restricted-syntax': [
        ...['error', plainExports, noDate, ...noFloatMoney, noDriverErrors],
        ...noWritesPastTheLog,
      ],
    },
  },
  {
    files: ['packages/web/src/**/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat['recommended-latest']],
    rules: {
      'no-console': 'error',
      'no-restricted-syntax': ['error', plainExports, ...noFloatMoney],
    },
  },
  {
    // The one entry of the package for others, and the list of all tables.
    files: ['packages/client/src/index.ts', `${SERVER}/db/tables/tables.ts`],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: TESTS,
    rules: {
      // A suite is one long function, and node:test's own functions return promises that it awaits.
      'max-lines-per-function': 'off',
      // Stand-ins do nothing, and keep the shape of what they stand for.
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', name: ['describe', 'it', 'test', 'suite'], package: 'node:test' },
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: {
      // What an old Node can read, and import(), which the start guard needs.
      ecmaVersion: 2020,
      sourceType: 'commonjs',
      globals: {
        __dirname: 'readonly',
        __filename: 'readonly',
        console: 'readonly',
        process: 'readonly',
        setTimeout: 'readonly',
      },
    },
    rules: { eqeqeq: 'error', 'no-undef': 'error', 'no-unused-vars': 'error' },
  },
);
