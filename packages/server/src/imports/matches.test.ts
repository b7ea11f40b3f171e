import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ImportEntry } from './entry.ts';
import { sharedId } from './bank-ids.ts';
import { ImportMatches } from './matches.ts';
import type { Identified } from './matches.ts';
import { KnownRows } from './known-rows.ts';
import type { KnownRow } from './known-rows.ts';

const claimed = new Set<number>();
const row: KnownRow = { id: 1, externalId: 'F1', date: '2024-01-31', amount: -5, payee: 'Shop' };
const entry: ImportEntry = {
  ...{ line: 2, date: row.date, amount: row.amount, payee: row.payee },
  ...{ notes: null, category: null, account: null, currency: null, externalId: 'F1' },
};

/** Returns an entry with a row that the book has under its id. */
function beside(rowOfBook: KnownRow, parts: Partial<ImportEntry>): Identified {
  const known = new KnownRows([rowOfBook], claimed);
  return { entry: { ...entry, ...parts }, externalId: 'F1', known };
}

test('a row that the user changed is found by the id that its content had', () => {
  const bankId = { id: 'F1', nth: 1, isRepeated: true };
  const changed = { ...row, date: '2025-01-01', amount: 9, externalId: sharedId(bankId, entry) };
  assert.equal(new ImportMatches().take(beside(changed, {})), 'known');
  claimed.clear();
  assert.equal(new ImportMatches().take(beside(changed, { notes: 'other' })), 'new');
});

test('above 10,000 only entries with rivals in the file wait for its end', () => {
  const matches = new ImportMatches();
  const corrected = (id: number, isRepeated: boolean) =>
    matches.take(beside({ ...row, id }, { amount: 9, bankId: { id: 'F1', nth: 1, isRepeated } }));
  for (let id = 1; id <= 10_000; id += 1) assert.equal(corrected(id, false), 'waiting');
  assert.equal(corrected(10_001, false), 'known');
  assert.equal(corrected(10_002, true), 'waiting');
  assert.deepEqual(
    new Set([...matches.settle()].map(([, verdict]) => verdict)),
    new Set(['known']),
  );
  assert.equal(claimed.size, 10_002);
});
