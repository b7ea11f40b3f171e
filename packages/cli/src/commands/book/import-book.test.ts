import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { coffer, makeFolder, newBook, refuses, runCoffer } from '../../testing/run-coffer.ts';

const folder = makeFolder();
const databaseOf = (name: string): string[] => [
  '--database',
  `sqlite:${join(folder, `${name}.db`)}`,
];
const demo = databaseOf('demo');
await coffer('demo', '--transactions', '300', ...demo);
const archive = join(folder, 'demo.tar.gz');
await coffer('export', '--format', 'archive', '--output', archive, ...demo);

async function archiveOf(name: string, whose: readonly string[]): Promise<Buffer> {
  const output = join(folder, `${name}.tar.gz`);
  await coffer('export', '--format', 'archive', '--output', output, ...whose);
  return readFileSync(output);
}

test('an archive is imported to a new database, where its archive is the same', async () => {
  const other = databaseOf('other');
  const { code, stdout, stderr } = await runCoffer(['book', 'import', archive, ...other]);
  assert.equal(code, 0, stderr);
  assert.equal(
    stdout,
    'Imported the book "Demo Household" (id 1) for "demo@coffer.example": 300 transactions, ' +
      '2,438 records in all, and 3 attached files\n',
  );
  assert.match(
    stderr,
    /^All ids are as in the archive\. Not carried:\n- history: an archive has one/,
  );
  assert.match(stderr, /\n- credentials of synced crypto accounts: they are encrypted .*\n$/);
  assert.deepEqual(await archiveOf('other', other), readFileSync(archive));
  assert.equal(await coffer('doctor', ...other), 'Everything agrees\n');
  const ndjson = ['export', '--format', 'ndjson'];
  assert.equal(await coffer(...ndjson, ...other), await coffer(...ndjson, ...demo));
  // With its user, all goes on.
  await coffer('token', 'create', ...other);
});

test('an archive is imported beside other books, with a name of its own', async () => {
  const whose = await newBook();
  const json = await coffer('book', 'import', archive, '--name', ' Copy ', '--json', ...whose);
  const record = JSON.parse(json) as Record<string, unknown>;
  assert.partialDeepStrictEqual(record, {
    id: 2,
    name: 'Copy',
    email: 'me@example.com',
    has_same_ids: false,
    files: 3,
  });
  assert.equal((record['not_carried'] as object[]).length, 6);
  const again = ['book', 'import', archive, '--name', 'copy', ...whose];
  await refuses(
    again,
    1,
    /^The user already has a book "Copy"\. Give .* another name with --name\n$/,
  );
  assert.match(await coffer('book', 'list', ...whose), / 2 {2}Copy {5}usd +300 +0\n$/);
});

test('what is no archive, or no file, is refused', async () => {
  const whose = await newBook();
  const csv = join(folder, 'demo.csv');
  await coffer('export', '--output', csv, ...demo);
  const before = await coffer('book', 'list', ...whose);
  for (const [argv, code, message] of [
    [[csv], 1, /^It is no archive of a book, or it is damaged\. "coffer export --format archive"/],
    [[folder], 1, /is not a regular file\n$/],
    [[join(folder, 'none')], 1, /ENOENT/],
    [[archive, '--name', ' '], 2, /^--name: " " is not a valid name/],
    [[archive, '--email', 'nobody@example.com'], 1, /There is no user "nobody@example.com"/],
  ] as const)
    await refuses(['book', 'import', ...whose, ...argv], code, message);
  assert.equal(await coffer('book', 'list', ...whose), before);
  const token = { environment: { COFFER_TOKEN: 'x' } };
  const served = ['export', '--format', 'archive', '--server', 'http://127.0.0.1:1'];
  await refuses(served, 2, /^--server cannot be used with --format archive\. Download GET/, token);
});
