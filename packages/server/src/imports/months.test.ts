import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../db/engine.ts';
import { exported } from '../pages/testing/filled-book.ts';
import { newBook } from '../resources/users/testing/new-book.ts';
import type { EntryVerdict, ImportEntry } from './entry.ts';
import { importEntries } from './import.ts';
import { bankAccounts, bankArbitrary, fileOf, moneyOf } from './testing/bank-months.ts';
import type { Bank, BankFile } from './testing/bank-months.ts';
import { runs } from '../../../core/src/testing/length.ts';
import { onBothEngines } from './testing/import-book.ts';

/** Cases for SQLite. For the figures of the reference, run it with CASES=10000. */
const cases = Number(process.env['CASES'] ?? 300);
const postgresCases = cases > 300 ? 1000 : 40;
/** Each run has other cases, unless SEED says which. */
const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31));

/** What became of all entries of all files. */
interface Shares {
  entries: number;
  doubtful: number;
}

onBothEngines('the months of a bank', (on, name) => {
  /** Imports files. Returns the numbers of the transactions of the bank that were in doubt, and imported. */
  const importAll = async (
    bookId: number,
    bank: Bank,
    files: readonly BankFile[],
    shares: Shares,
  ): Promise<number[]> => {
    const doubtful: number[] = [];
    for (const file of files) {
      const entries = fileOf(bank, file);
      await importEntries(on.engine, bookId, {
        entries: () => entries,
        ...{ defaultAccount: null, dryRun: false, format: file.format, accounts: bankAccounts },
        onVerdict: (verdict) => note(verdict, entries, doubtful, shares),
      });
    }
    return doubtful;
  };

  it('are in the book once, or reported, in any order and however often they are imported', async (t) => {
    const shares: Shares = { entries: 0, doubtful: 0 };
    const property = fc.asyncProperty(bankArbitrary, async ({ bank, files }) => {
      const { id } = await newBook(on.engine);
      const doubtful = await importAll(id, bank, files, shares);
      await assertBook(on.engine, id, bank, files, doubtful);
      // Every file again, in another order.
      const again = await importAll(id, bank, files.toReversed(), { entries: 0, doubtful: 0 });
      await assertBook(on.engine, id, bank, files, [...doubtful, ...again]);
    });
    const numRuns = runs(name === 'SQLite' ? cases : Math.min(cases, postgresCases));
    t.diagnostic(`seed ${seed}`);
    // A failing case has many parts, so that shrinking it takes minutes.
    await fc.assert(property, { numRuns, seed, endOnFailure: true });
    const share = (100 * shares.doubtful) / shares.entries;
    t.diagnostic(`${shares.doubtful} of ${shares.entries} entries in doubt: ${share.toFixed(2)} %`);
    // About 4.5 %, but few cases vary.
    if (shares.entries > 5000) assert.ok(share < 8, `${share} % of the entries are in doubt`);
  });
});

function note(
  { number, verdict, isImported }: EntryVerdict,
  entries: readonly ImportEntry[],
  doubtful: number[],
  shares: Shares,
): void {
  shares.entries += 1;
  if (verdict !== 'doubtful') return;
  shares.doubtful += 1;
  if (isImported) doubtful.push(Number(entries[number - 1]!.notes));
}

/**
 * For each amount, the book must have as many transactions as the files, and those that were reported as doubtful. The
 * same amount means the same transaction, unless the bank has twins.
 */
async function assertBook(
  engine: Engine,
  bookId: number,
  bank: Bank,
  files: readonly BankFile[],
  doubtful: readonly number[],
): Promise<void> {
  const seen = new Set(
    files.flatMap((file) => fileOf(bank, file).map(({ notes }) => Number(notes))),
  );
  const expected = Map.groupBy(seen, (at) => moneyOf(bank[at]!));
  const inDoubt = Map.groupBy(doubtful, (at) => moneyOf(bank[at]!));
  const rows = await exported(engine, { id: bookId });
  const found = Map.groupBy(rows, ({ notes }) => moneyOf(bank[Number(notes)]!));
  for (const money of new Set([...expected.keys(), ...found.keys()])) {
    const [least, most] = [expected.get(money)?.length ?? 0, inDoubt.get(money)?.length ?? 0];
    const count = found.get(money)?.length ?? 0;
    assert.ok(count >= least, `${money} is lost: ${count} instead of ${least}`);
    assert.ok(count <= least + most, `${money} is doubled: ${count} instead of ${least} (${most})`);
  }
}
