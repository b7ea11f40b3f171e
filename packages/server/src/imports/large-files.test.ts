import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blockSize } from '../db/blocks.ts';
import { select } from '../db/rows.ts';
import { transactions } from '../db/tables.ts';
import { newBook } from '../resources/users/testing/new-book.ts';
import { plainId } from './bank-ids.ts';
import type { ImportEntry } from './entry.ts';
import { importEntries } from './import.ts';
import { isLong } from '../../../core/src/testing/length.ts';
import { onBothEngines } from './testing/import-book.ts';

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

/** Files in the order in which a book gets them: where each begins, whether it has ids, and how many rows are new. */
const orders = [
  '0 no all, 0 no none, half no half, half ids none, 0 ids none, 0 no none, half no none',
  '0 ids all, 0 no none, half ids half, half no none, 0 ids none',
  'half no all, 0 ids half, half ids none, 0 no none',
];
const counts: Readonly<Record<string, number>> = { '0': 0, none: 0, half: later, all: fileRows };

onBothEngines('files of more than one block', (on) => {
  for (const defaultAccount of isLong ? [null, 'Bank'] : ['Bank'])
    for (const format of isLong ? ['csv', undefined] : ['csv'])
      it(`are known again (account: ${defaultAccount}, format: ${format ?? 'none'})`, async () => {
        for (const order of orders) {
          const { id: book_id } = await newBook(on.engine);
          for (const file of order.split(', ')) {
            const [from = '', ids, isNew = ''] = file.split(' ');
            const [entries, imported] = [fileFrom(counts[from]!, ids === 'ids'), counts[isNew]!];
            const plan = { entries: () => entries, defaultAccount, dryRun: false };
            const summary = await importEntries(on.engine, book_id, {
              ...plan,
              ...(format !== undefined && { format }),
            });
            const { skippedDuplicates, doubtful } = summary;
            assert.deepEqual(
              [summary.imported, skippedDuplicates, doubtful.count],
              [imported, fileRows - imported, 0],
              `${order}: ${file}`,
            );
          }
          const amounts = (await on.engine.read(() => select(transactions, { book_id }))).map(
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
