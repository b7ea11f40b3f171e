import assert from 'node:assert/strict';
import { writeSync } from 'node:fs';
import { test } from 'node:test';
import { deleteUnlogged, updateUnlogged } from '../../book/unlogged.ts';
import { context, withOwn, type Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { importPreviewBlocks, importPreviewEntries } from '../../db/tables/tables.ts';
import { as, makeTestApp } from '../../http/testing/test-app.ts';
import { readDecisions, storedDecisions } from '../comparison.ts';
import { createImportService } from '../previews/service.ts';
import { openTemporary } from '../statement-file.ts';
import { createPreview } from './preview-records.ts';
import type { ImportPreviewRow, ImportPreviewRows, PreviewVerdict } from './preview-schema.ts';
import { previewClient, type Refusal } from './testing/preview-client.ts';

const made = await makeTestApp();
const { engine } = made;
const client = previewClient(made);
const { bookId, importedBy } = client;
const headers = as(made.ada);

const csv = (rows: readonly string[]) => `Date,Payee,Amount\n${rows.join('\n')}\n`;
const file = (name: string, count = 3) =>
  csv(Array.from({ length: count }, (_, n) => `2024-05-0${(n % 9) + 1},${name} ${n},-${n + 1}.50`));

test('a preview is imported by its stored entries; only other options read its file again', async () => {
  const withoutFile = async (name: string, options: object) => {
    const { id } = (await client.upload(file(name), '?account=Stored')).body;
    await engine.write(() => deleteUnlogged(importPreviewBlocks, { import_id: id }));
    return { id, ...(await client.commit<Refusal>(id, options)) };
  };
  const rows = [{ number: 2, action: 'skip' }];
  const { id, status } = await withoutFile('Kept', { account: 'Stored', on_doubt: 'keep', rows });
  assert.equal(status, 200);
  const payees = (await importedBy(id)).map(({ payee, amount }) => `${payee} ${amount}`);
  assert.deepEqual(payees, ['Kept 0 15000', 'Kept 2 35000']);
  for (const options of [{ account: 'Other' }, { account: null }, { decimal: 'point' }])
    assert.equal((await withoutFile('Gone', options)).status, 400);
});

test('entries are compared again if the book has changed in a way that matters', async () => {
  const known = await client.commit(
    (await client.upload(csv(['2024-05-01,Known,-77']), '?account=Same')).body.id,
  );
  const [row] = await importedBy(known.body.id);
  const change = async (payload: object) => {
    const url = `/v2/transactions/${row!.id}`;
    const sent = await made.app.inject({ method: 'PUT', url, headers, payload });
    assert.equal(sent.statusCode, 200, sent.body);
  };
  /** A preview that says wrongly that its first row is known, so that a comparison is seen. */
  const mistaken = async (name: string) => {
    const { id } = (await client.upload(file(name), '?account=Same')).body;
    const of = { book_id: bookId, import_id: id };
    const [block] = await engine.read(() => select(importPreviewEntries, of));
    const decided = readDecisions(block!.decisions).map((each, at) =>
      at === 0 ? { ...each, verdict: 'known' as const, knownId: row!.id } : each,
    );
    const decisions = storedDecisions(decided);
    await engine.write(() => updateUnlogged(importPreviewEntries, of, { decisions }));
    return id;
  };
  const first = await mistaken('Without');
  await change({ notes: 'mine', status: 'reviewed' });
  assert.equal((await client.commit(first)).body.imported, 2);
  const second = await mistaken('With');
  await change({ date: '2024-06-01' });
  const { status, body } = await client.commit<Refusal>(second);
  assert.equal(status, 409);
  const messages = body.errors.map(({ errMsg }) => errMsg);
  assert.deepEqual(messages, [
    `Row 1 is new now, and was known (transaction ${row!.id}) in the preview`,
  ]);
  assert.equal((await client.commit(second)).body.imported, 3);
});

test('rows of a verdict are the same in pages of any length, bad ones between the others', async () => {
  const line = (n: number) => {
    const day = String((n % 28) + 1).padStart(2, '0');
    return `2024-03-${n % 40 === 7 ? '77' : day},Row ${n},-${n}.25`;
  };
  const all = Array.from({ length: 1300 }, (_, n) => line(n));
  const query = '?account=Pages&skip_bad_rows=true';
  const few = all.filter((_, n) => n % 3 === 0);
  assert.equal((await client.commit((await client.upload(csv(few), query)).body.id)).status, 200);
  const { id, verdicts } = (await client.upload(csv(all), query)).body;
  const read = async (limit: number, verdict?: PreviewVerdict) => {
    const rows: ImportPreviewRow[] = [];
    for (let more = true; more;) {
      const of = verdict === undefined ? '' : `&verdict=${verdict}`;
      const path = `/${id}/rows?limit=${limit}&offset=${rows.length}${of}`;
      const { body } = await client.send<ImportPreviewRows>('GET', path);
      rows.push(...body.rows);
      more = body.has_more;
    }
    return rows;
  };
  const whole = await read(500);
  assert.deepEqual(
    whole.map((row) => row.line),
    all.map((_, n) => n + 2),
  );
  const numbers = whole.flatMap(({ number }) => (number === null ? [] : [number]));
  assert.deepEqual(
    numbers,
    numbers.map((_, at) => at + 1),
  );
  for (const verdict of ['new', 'known', 'bad', 'replaces'] as const) {
    const expected = whole.filter((row) => row.verdict === verdict);
    assert.equal(expected.length, verdicts[verdict]);
    for (const limit of [7, 499]) assert.deepEqual(await read(limit, verdict), expected);
  }
});

test('a preview is compared without the lock of the book', async () => {
  const held: string[] = [];
  const watched = withOwn(engine, {
    write: (steps, options) => engine.write(() => noting(steps(), held), options),
  });
  const service = createImportService(null, {
    error: (details) => assert.fail(JSON.stringify(details)),
  });
  const source = openTemporary();
  const bytes = writeSync(source, file('Lock'));
  const id = await engine.write(function* () {
    const { nowMs } = yield* context();
    const received = { actor: 'token 1', fileName: 'a.csv', hash: 'ab', bytes, options: {} };
    return yield* createPreview({ bookId, ...received, nowMs, workerUntilMs: nowMs + 60_000 });
  });
  const work = { bookId, id, actor: 'token 1', bytes, options: {}, file: source };
  assert.equal(await service.read(watched, work), true);
  assert.ok(held.length > 0);
  const written = held.filter(
    (text) => !/\bimport_preview(s|_blocks|_entries)\b|\bimports\b/.test(text),
  );
  assert.deepEqual(written, []);
});

/** Notes the statements of steps. */
function* noting<T>(steps: Steps<T>, held: string[]): Steps<T> {
  let next = steps.next();
  while (next.done !== true) {
    const step = next.value;
    if ('sql' in step) held.push(step.sql);
    else if ('insertInto' in step) held.push(step.insertInto);
    next = steps.next(yield step);
  }
  return next.value;
}
