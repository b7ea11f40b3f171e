import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

const source = join(import.meta.dirname, '..');
const root = join(source, '../../..');
const compiler = join(root, 'node_modules/typescript7/bin/tsc');

/** An operation without a mistake. */
const correct = `
import { insertUnlogged } from '${source}/book/unlogged.ts';
import { find } from '${source}/db/rows.ts';
import { books, tags } from '${source}/db/tables/tables.ts';
import { write } from '${source}/operations/operation.ts';
import * as schema from '${source}/ledger/tags/schema.ts';
import { changed, refusedWith } from '${source}/operations/responses.ts';

export const operation = write(
  'PUT',
  {
    ...{ id: 'planted', path: '/v2/planted', tag: 'tags', summary: '', description: '' },
    params: schema.TagPath,
    body: schema.TagInsert,
    response: changed(schema.Tag, '', {}),
    refusals: { 422: refusedWith(422, schema.TagDependents, '', {}) },
  },
  function* ({ bookId, params, body, refuse }, change) {
    const before = yield* find(tags, { book_id: bookId, id: params.id });
    if (before === undefined)
      return refuse(422, { tag_name: 'a', dependents: { rules: 0, transactions: 1 } });
    yield* change.insert(tags, { name: body.name });
    const after = yield* change.update(tags, before, { description: body.description ?? null });
    const { book_id: _, archived_at, ...tag } = after;
    return { ...tag, archived: archived_at !== null, archived_at };
  },
);

export function* newBook(userId: number) {
  const columns = { user_id: userId, name: '', primary_currency: 'eur', created_at: '' };
  yield* insertUnlogged(books, columns);
}
`;

/** Mistakes by description: the text to replace, its replacement, and the expected error of the compiler. */
const mistakes: Readonly<Record<string, [from: string, to: string, error: string]>> = {
  'a column that a table does not have, in an update': ['{ description:', '{ colour:', 'TS2353'],
  'a value of a wrong type, in an update': ['body.description ?? null', '1', 'TS2322'],
  'null where there must be a value': ['description: body.description ??', 'name:', 'TS2322'],
  'a column that a table does not have, in an insert': ['{ name: body', '{ label: body', 'TS2353'],
  'an insert without a column that it needs': ['name: body.name', '', 'TS2345'],
  'a look-up by a column that does not exist': ['id: params.id', 'key: params.id', 'TS2353'],
  'a property that the body does not have': ['body.description', 'body.colour', 'TS2339'],
  'a property that the body may lack': ['body.name', 'body.description', 'TS2322'],
  'a part that the path does not have': ['params.id', 'params.name', 'TS2339'],
  'a response without one of its keys': ['archived: archived_at !== null, ', '', 'TS2345'],
  'a response with a value of a wrong type': ['archived_at !== null', 'archived_at', 'TS2345'],
  'a refusal with a status that is not declared': ['refuse(422', 'refuse(409', 'TS2345'],
  'a refusal with a body of another shape': ['rules: 0', 'rules: null', 'TS2322'],
  'records written past the change log': ['insertUnlogged(books', 'insertUnlogged(tags', 'TS2345'],
  'rows of the server written as records': ['change.insert(tags', 'change.insert(books', 'TS2345'],
};

describe('the compiler refuses', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-types-'));
  const errors = new Map<string, string[]>();
  after(() => rmSync(folder, { recursive: true }));

  before(async () => {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'correct.ts'), correct);
    for (const [at, [from, to]] of Object.values(mistakes).entries()) {
      assert.equal(correct.split(from).length, 2, from);
      writeFileSync(join(folder, `mistake${at}.ts`), correct.replace(from, to));
    }
    const typeRoots = [join(root, 'node_modules/@types')];
    const compilerOptions = { typeRoots, noUnusedLocals: false };
    const include = ['*.ts', `${source}/operations/*.d.ts`];
    const project = { extends: join(root, 'tsconfig.json'), compilerOptions, include };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', '.'], {
      cwd: folder,
    }).catch((failed: unknown) => failed as { readonly stdout: string });
    const lines = stdout.split('\n').filter((line) => /^\S.*error TS/.test(line));
    for (const line of lines) {
      const [file = '', code = ''] = line.replace(/\(.*?error/, '').split(/[ :]+/);
      errors.set(file, [...(errors.get(file) ?? []), code]);
    }
  });

  for (const [at, [name, [, , error]]] of Object.entries(mistakes).entries())
    test(name, () => assert.deepEqual(errors.get(`mistake${at}.ts`), [error]));

  test('nothing in a correct operation', () => {
    assert.equal(
      [...errors.keys()].find((file) => !file.startsWith('mistake')),
      undefined,
    );
  });
});
