import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { blockSize } from '../db/blocks.ts';
import type { Engine } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { transactions } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { newBook } from '../resources/users/testing/new-book.ts';
import { plainId } from './bank-ids.ts';
import type { ImportEntry } from './entry.ts';
import { importEntries } from './import.ts';
import { isLong } from '../../../core/src/testing/length.ts';

/** More rows than two blocks. */
const fileRows = 2 * blockSize + 200;
/** Where a file of a later export begins; even, so that it has both rows of a pair or none. */
const later = fileRows / 2;

/**
 * A row of the bank. Its days have more than one row, and its months more than one block. Each purchase happens twice;
 * amounts come back after a month.
 */
function rowOf(n: number, hasId: boolean): ImportEntry {
  const pair = Math.floor(n / 2);
  const bankId = { id: `BANK-${10_000 + n}`, nth: 1, isRepeated: false };
  return {
    ...{ line: n + 2, amount: -100 * (1 + (pair % 700)), payee: `Shop ${pair % 7}` },
    date: new Date(Date.UTC(2024, 0, 5 + Math.floor(n / 40))).toISOString().slice(0, 10),
    ...{ currency: null, notes: null, category: null, account: null },
    externalId: hasId ? plainId(bankId) : null,
    ...(hasId && { bankId }),
  };
}

function fileFrom(first: number, hasIds: boolean): ImportEntry[] {
  return Array.from({ length: fileRows }, (_, n) => rowOf(first + n, hasIds));
}

/** A file, and how many of its rows are new. */
type Step = readonly [first: number, ids: 'ids' | 'no ids', imported: number];
const orders: readonly (readonly Step[])[] = [
  [
    [0, 'no ids', fileRows],
    [0, 'no ids', 0],
    [later, 'no ids', later],
    [later, 'ids', 0],
    [0, 'ids', 0],
    [0, 'no ids', 0],
    [later, 'no ids', 0],
  ],
  [
    [0, 'ids', fileRows],
    [0, 'no ids', 0],
    [later, 'ids', later],
    [later, 'no ids', 0],
    [0, 'ids', 0],
  ],
  [
    [later, 'no ids', fileRows],
    [0, 'ids', later],
    [later, 'ids', 0],
    [0, 'no ids', 0],
  ],
];

for (const { name, skip, open } of engines) {
  describe(`files of more than one block on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });

    for (const defaultAccount of isLong ? [null, 'Bank'] : ['Bank'])
      for (const format of isLong ? ['csv', undefined] : ['csv'])
        it(`are known again (account: ${defaultAccount}, format: ${format ?? 'none'})`, async () => {
          for (const order of orders) {
            const { id: book_id } = await newBook(engine);
            for (const [first, ids, imported] of order) {
              const entries = fileFrom(first, ids === 'ids');
              const plan = { entries: () => entries, defaultAccount, dryRun: false };
              const summary = await importEntries(engine, book_id, {
                ...plan,
                ...(format !== undefined && { format }),
              });
              const { skippedDuplicates, doubtful } = summary;
              assert.deepEqual(
                [summary.imported, skippedDuplicates, doubtful.count],
                [imported, fileRows - imported, 0],
                `${order.join(' | ')}: the file from ${first} with ${ids}`,
              );
            }
            const amounts = (await engine.read(() => select(transactions, { book_id }))).map(
              ({ date, amount, payee }) => `${date} ${-amount} ${payee}`,
            );
            const expected = Array.from({ length: fileRows + later }, (_, n) => {
              const { date, amount, payee } = rowOf(n, false);
              return `${date} ${amount} ${payee}`;
            });
            assert.deepEqual(amounts.toSorted(), expected.toSorted());
          }
        });
  });
}
