import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

const ROOT = join(import.meta.dirname, '..');
const LEDGER = 'packages/server/src/ledger/planted/rules.ts';
const PAGES = 'packages/server/src/pages/planted.ts';
const IMPORTS = 'packages/server/src/imports/planted.ts';
const BOOK = 'packages/server/src/book/planted.ts';
const DB = 'packages/server/src/db/planted.ts';
const HTTP = 'packages/server/src/http/planted.ts';
const CORE = 'packages/core/src/planted.ts';
const STATEMENTS = 'packages/statements/src/planted.ts';

let eslint: ESLint;
before(() => {
  // The planted files do not exist on disk, so rules that need types are off.
  const overrideConfig = [
    { files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked },
    { files: ['**/*.ts'], languageOptions: { parserOptions: { projectService: false } } },
  ];
  eslint = new ESLint({ cwd: ROOT, overrideConfig });
});

async function rulesBroken(file: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath: join(ROOT, file) });
  return result?.messages.map(({ ruleId, message }) => ruleId ?? message) ?? [];
}

const SYNTAX = 'no-restricted-syntax';
const PLANTED: [what: string, file: string, code: string, rule: string][] = [
  ['a default export', DB, 'export default 1;', SYNTAX],
  ['a renamed default export', 'scripts/x.ts', 'const a = 1; export { a as default };', SYNTAX],
  ['a file that passes on names', BOOK, "export { a as b } from './a.ts';", SYNTAX],
  ['a file that passes on all names', IMPORTS, "export * from './a.ts';", SYNTAX],
  [
    'an imported name that is exported',
    'test/x.ts',
    "import { a } from 'a'; export { a };",
    SYNTAX,
  ],
  ['a Date in the ledger', LEDGER, "export const day = new Date('2024-01-01');", SYNTAX],
  ['the wall clock in pages', PAGES, 'export const now = Date.now();', SYNTAX],
  ['a Date in statements', STATEMENTS, 'export const day = new Date(0);', SYNTAX],
  ['parseFloat in statements', STATEMENTS, "export const sum = parseFloat('1.5');", SYNTAX],
  ['Number.parseFloat in db', DB, "export const sum = Number.parseFloat('1.5');", SYNTAX],
  ['toFixed in imports', IMPORTS, 'export const text = (1.5).toFixed(4);', SYNTAX],
  ['toFixed in book', BOOK, 'export const text = (1.5).toFixed(4);', SYNTAX],
  ['toFixed in core', CORE, 'export const text = (1.5).toFixed(4);', SYNTAX],
  ['any', DB, 'export const all: any = 1;', '@typescript-eslint/no-explicit-any'],
  ['loose equality', DB, 'export const is = (a: number): boolean => a == 1;', 'eqeqeq'],
  ['printing in the server', DB, "console.log('x');", 'no-console'],
  ['printing in core', CORE, "console.log('x');", 'no-console'],
  ['printing in statements', STATEMENTS, "console.log('x');", 'no-console'],
  ['an INSERT past the change log', LEDGER, 'export const all = sql`INSERT INTO tags`;', SYNTAX],
  ['an UPDATE past the change log', PAGES, 'run(sql`\n  update tags SET id = ${1}`);', SYNTAX],
  ['a DELETE past the change log', HTTP, 'run(sql`DELETE FROM tags`);', SYNTAX],
  ['insertMany past the change log', IMPORTS, "insertMany('tags', [], []);", SYNTAX],
  ['a check of the code of an error', LEDGER, "if (error.code === '23505') stop();", SYNTAX],
  ['a check of the name of an error', IMPORTS, "if (error.name !== 'Error') stop();", SYNTAX],
  [
    'a function of more than 100 lines',
    DB,
    `export function long(): void {\n${'  void 0;\n'.repeat(100)}}`,
    'max-lines-per-function',
  ],
];

for (const [what, file, code, rule] of PLANTED) {
  test(`${what} is refused`, async () => {
    assert.deepEqual(await rulesBroken(file, code), [rule]);
  });
}

test('code that the rules allow passes', async () => {
  assert.deepEqual(await rulesBroken('packages/cli/src/planted.ts', "console.log('x');"), []);
  assert.deepEqual(await rulesBroken(DB, 'export const nowMs = Date.now();'), []);
  for (const file of [DB, BOOK, PAGES.replace('.ts', '.test.ts')])
    assert.deepEqual(await rulesBroken(file, 'run(sql`DELETE FROM tags`);'), []);
  assert.deepEqual(await rulesBroken(PAGES, 'rows(sql`SELECT updated_at FROM tags`);'), []);
  const notCounted = '\n  // why\n'.repeat(40);
  const code = `export function f(): void {\n${'  void 0;\n'.repeat(60)}${notCounted}}`;
  assert.deepEqual(await rulesBroken(DB, code), []);
});

test('the rules about promises apply to files with types', async () => {
  for (const file of [LEDGER, DB, 'packages/cli/src/planted.ts', 'test/planted.test.ts']) {
    const config = (await new ESLint({ cwd: ROOT }).calculateConfigForFile(join(ROOT, file))) as {
      rules: Record<string, [severity: number]>;
    };
    for (const rule of ['no-floating-promises', 'no-misused-promises', 'consistent-type-imports']) {
      assert.equal(config.rules[`@typescript-eslint/${rule}`]?.[0], 2, `${rule} in ${file}`);
    }
  }
});
