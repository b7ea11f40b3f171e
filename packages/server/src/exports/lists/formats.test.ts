import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, it } from 'node:test';
import { runs } from '../../../../core/src/testing/length.ts';
import { changing, type Change } from '../../book/change.ts';
import type { Engine } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { categories, manualAccounts, tags, transactions } from '../../db/tables/tables.ts';
import { transactionKeys } from '../../db/dialect.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import { addUser, makeTestApp } from '../../http/testing/test-app.ts';
import { bookOf } from '../../identity/users/actions.ts';
import { BulkRows } from '../../ledger/transactions/writes.ts';
import { csvHeader } from './csv.ts';
import { exportBook } from './export.ts';
import { exportFormats, type ExportFormat } from './file.ts';
import { exportedTransactions } from './testing/exported.ts';
import { csvModel, ndjsonModel } from './testing/formats-model.ts';

/** More than are read at once. */
const rowsOfBook = 2300;

/** Pieces of texts: formulas, quotes, separators, line breaks, blanks, escapes, and characters of each length. */
const pieces = [
  ...Array.from(
    '=+-@＝＋－＠\'",;|\t\r\n\\/{}[]:\u0001\u001e\u001f\u007f\u0085\u00a0\u00ad\u2028\u3000\ufeff\u200b',
  ),
  ...[
    'a',
    'Z',
    '0',
    'é',
    'ß',
    '×',
    'ж',
    'ÿ',
    '\u05ff',
    '本',
    '屋',
    '한',
    '\u4000',
    'ア',
    '💶',
    '👩‍👧',
  ],
  ...['is_pending":true', '"id":', '\\u001e', '\\"', ' ', '  ', 'Shop 12'],
];
const hostile = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((all) => all.join(''));
const plain = fc.constantFrom('Corner Shop', 'Café', 'Bäckerei 7', '本屋', 'Łódź.');
const text = fc.oneof(hostile, plain);

const metadata = fc.option(
  fc.dictionary(hostile, text, { maxKeys: 2 }).map((each) => JSON.stringify(each)),
);
const rowOf = fc.record({
  date: fc.constantFrom('1970-01-01', '2024-02-29', '9999-12-31'),
  amount: fc.oneof(fc.constantFrom(0, -1, 1, 9999, -10_000), fc.maxSafeInteger()),
  currency: fc.constantFrom('usd', 'eur'),
  payee: text,
  notes: fc.option(text),
  original_name: fc.option(text),
  status: fc.constantFrom('reviewed', 'unreviewed', 'delete_pending'),
  is_pending: fc.constantFrom(false, false, false, true),
  source: fc.constantFrom(null, 'api', 'csv'),
  plaid_metadata: metadata,
  custom_metadata: metadata,
});

interface Names {
  readonly categories: readonly number[];
  readonly accounts: readonly number[];
  readonly tags: readonly number[];
}

function* addNames(change: Change, texts: readonly string[]) {
  const ids: Record<keyof Names, number[]> = { categories: [], accounts: [], tags: [] };
  for (const [at, each] of texts.entries()) {
    const name = `${each}${at}`;
    ids.tags.push((yield* change.insert(tags, { name })).id);
    ids.categories.push((yield* change.insert(categories, { name, collapsed: false })).id);
    const account = { name, type: 'cash', balance: 0, to_base: 0, currency: 'usd' };
    const times = { balance_as_of: change.at, status: 'active', created_by_name: 'test' };
    ids.accounts.push((yield* change.insert(manualAccounts, { ...account, ...times })).id);
  }
  return ids;
}

for (const { name, skip, open } of usualEngines)
  describe(`the formats of an export on ${name}`, { skip }, () => {
    it('have any text as a simple model writes it, now and as of a version', async () => {
      const opened = await open();
      const { engine } = await makeTestApp({ opened });
      await fc.assert(
        fc.asyncProperty(
          fc.infiniteStream(rowOf),
          fc.array(text, { minLength: 1, maxLength: 4 }),
          fc.infiniteStream(fc.nat()),
          async (rows, texts, picks) => {
            const user = await addUser(engine, `user ${Math.random()}`);
            const bookId = user.identity.book.id;
            await engine.write(() =>
              changing(cause(bookId), (change) => fill(change, rows, texts)),
            );
            const { version } = await engine.readStatement(() => bookOf(bookId));
            const [csv, ndjson] = await checked(engine, bookId);
            await engine.write(() =>
              changing(cause(bookId), (change) => shuffle(change, rows, picks)),
            );
            await checked(engine, bookId);
            const earlier = [
              await exported(engine, bookId, 'csv', version),
              await exported(engine, bookId, 'ndjson', version),
            ];
            assert.ok(earlier[0] === csv, 'CSV as of the version');
            assert.ok(earlier[1] === ndjson, 'NDJSON as of the version');
          },
        ),
        { numRuns: runs(10) },
      );
    });

    it('have balance anchors and transfers in NDJSON, now and as of a version', async () => {
      const opened = await open(() => Date.parse('2026-03-05T12:00:00.000Z'));
      const { made: app, ok, send } = await openBooks({ opened });
      const { engine } = app;
      const bookId = app.ada.identity.book.id;
      const account = async (name: string) => {
        const body = { name, type: 'cash', balance: '100', currency: 'eur' };
        return (await ok<{ id: number }>('POST', '/v2/manual_accounts', body)).id;
      };
      const [sender, receiver] = [await account('Checking'), await account('Savings')];
      const { transactions: made } = await ok<{ transactions: { id: number }[] }>(
        'POST',
        '/v2/transactions',
        {
          transactions: [
            { date: '2026-03-02', amount: '5', manual_account_id: sender },
            { date: '2026-03-09', amount: '-5', manual_account_id: receiver },
          ],
        },
      );
      const [sent_id, received_id] = made.map(({ id }) => id);
      await ok('POST', '/coffer/transfers', { sent_id, received_id });
      const known = { day: '2026-02-28', balance: '-7.5' };
      const { id } = await ok<{ id: number }>('POST', `/coffer/accounts/${sender}/anchors`, known);
      const { version } = await engine.readStatement(() => bookOf(bookId));
      const linesOf = async (asOf?: number) =>
        (await exported(engine, bookId, 'ndjson', asOf))
          .split('\n')
          .filter((line) => /^\{"type":"(?:balance_anchor|transfer)"/.test(line))
          .map((line) => JSON.parse(line) as Record<string, unknown>);
      const present = await linesOf();
      const today = ['2026-03-05', 'api'];
      const values = present.map((line) =>
        line['type'] === 'transfer'
          ? ['transfer', line['sent_id'], line['received_id'], line['found_by']]
          : ['day', 'source', 'balance', 'ahead'].map((key) => line[key]),
      );
      assert.deepEqual(values, [
        [...today, '95.0000', '0.0000'],
        [...today, '105.0000', '5.0000'],
        ['2026-02-28', 'user', '-7.5000', '0.0000'],
        ['transfer', sent_id, received_id, 'user'],
      ]);
      await send('DELETE', `/coffer/balance_anchors/${id}`);
      await send('DELETE', `/v2/transactions/${sent_id}`);
      assert.deepEqual(
        (await linesOf()).map(({ type, source }) => [type, source]),
        [
          ['balance_anchor', 'api'],
          ['balance_anchor', 'api'],
        ],
      );
      assert.deepEqual(await linesOf(version), present);
    });

    it('find values by the order of keys that the database writes', async () => {
      const { engine } = await makeTestApp({ opened: await open() });
      const user = await addUser(engine, 'keys');
      const bookId = user.identity.book.id;
      const row = { ...fc.sample(rowOf, 1)[0]!, plaid_metadata: null, custom_metadata: null };
      await engine.write(() =>
        changing(cause(bookId), function* (change) {
          const bulk = new BulkRows(change);
          bulk.add({ id: yield* bulk.nextId(), to_base: 0, ...row });
          yield* bulk.flush();
        }),
      );
      const [found] = await exportedTransactions(await exportBook(engine, bookId));
      const more = ['plaid_metadata', 'custom_metadata'];
      assert.deepEqual(Object.keys(JSON.parse(found!.json) as object), [
        ...transactionKeys,
        ...more,
      ]);
    });
  });

function cause(bookId: number) {
  return { bookId, actor: 'test', operation: 'test' };
}

type Rows = fc.Stream<Partial<Row<typeof transactions>>>;

function* fill(change: Change, rows: Rows, texts: readonly string[]) {
  const ids = yield* addNames(change, texts);
  const bulk = new BulkRows(change);
  let at = 0;
  for (const row of rows.take(rowsOfBook)) {
    at += 1;
    const account = at % 3 === 0 ? null : ids.accounts[at % ids.accounts.length]!;
    const others = { manual_account_id: account, category_id: ids.categories[at % 5] ?? null };
    const tag_ids = JSON.stringify(ids.tags.slice(0, at % 4).toReversed());
    const external = at % 4 === 0 ? `=${at}"` : null;
    const values = { ...row, ...others, tag_ids, external_id: external, to_base: -1 };
    bulk.add({ ...(values as Row<typeof transactions>), id: yield* bulk.nextId() });
  }
  yield* bulk.flush();
}

/** Changes some rows, removes some, and adds some. */
function* shuffle(change: Change, rows: Rows, picks: fc.Stream<number>) {
  const all = yield* select(transactions, { book_id: change.bookId });
  const picked = [...new Set(picks.take(60).map((pick) => all[pick % all.length]!))];
  const [removed, changed] = [picked.slice(0, 20), picked.slice(20)];
  yield* change.removeAll(transactions, removed);
  for (const [at, row] of changed.entries())
    yield* change.update(transactions, row, { payee: `Changed ${at}`, notes: '=1' });
  const bulk = new BulkRows(change);
  for (const row of rows.take(30)) {
    const values = row as Row<typeof transactions>;
    bulk.add({ ...values, to_base: 0, id: yield* bulk.nextId() });
  }
  yield* bulk.flush();
}

async function exported(engine: Engine, bookId: number, format: ExportFormat, version?: number) {
  const asOf = version === undefined ? {} : { asOf: String(version) };
  const pieces = exportFormats[format].piecesOf(await exportBook(engine, bookId, asOf));
  return Buffer.concat(await Array.fromAsync(pieces)).toString();
}

/** Compares both formats of the present book with the model, and returns them. */
async function checked(engine: Engine, bookId: number): Promise<[csv: string, ndjson: string]> {
  const all = await exportedTransactions(await exportBook(engine, bookId));
  const csv = await exported(engine, bookId, 'csv');
  assert.ok(csv === `${csvHeader.toString()}${csvModel(all)}`, 'CSV');
  const ndjson = await exported(engine, bookId, 'ndjson');
  assert.ok(ndjson.endsWith(`}\n${ndjsonModel(all)}`), 'NDJSON');
  return [csv, ndjson];
}
