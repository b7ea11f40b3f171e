import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { categories, manualAccounts, transactions } from '../db/tables/tables.ts';
import { onEngines, type EngineBook } from '../http/testing/engine-book.ts';
import { provedDaysOf } from '../ledger/accounts/account-proof.ts';
import { createRule } from '../ledger/rules/actions.ts';
import { applyToExisting } from '../ledger/rules/examine.ts';
import { importEntries } from './commit.ts';
import type { ImportEntry } from './entry.ts';
import { entryOf, entryWithId } from './testing/import-book.ts';

const units = (amount: number): number => amount * 10_000;
const ids = ['a', 'b', 'c', 'd'];

/** Rows of a file: few days, amounts, payees and ids, so that they are often like those that the book has. */
const rows = fc
  .record({
    day: fc.integer({ min: 1, max: 6 }),
    amount: fc.constantFrom(-3, -2, -1, 1, 2),
    payee: fc.constantFrom('Shop', 'shop', 'Rent', 'Other'),
    id: fc.option(fc.constantFrom(...ids)),
    isPending: fc.boolean(),
  })
  .map(({ day, amount, payee, id, isPending }): ImportEntry => {
    const parts = {
      date: `2026-01-0${day}`,
      amount: units(amount),
      payee,
      account: 'Bank',
      isPending,
    };
    return id === null ? entryOf(parts) : entryWithId(id, parts);
  });
const files = fc.uniqueArray(rows, {
  minLength: 1,
  maxLength: 5,
  selector: ({ externalId }) => externalId ?? {},
});
const imports = fc.record({
  kind: fc.constant('import' as const),
  file: files,
  onDoubt: fc.constantFrom('keep' as const, 'skip' as const),
});
const rules = fc.record({
  kind: fc.constant('rule' as const),
  payee: fc.constantFrom('shop', 'rent', 'o'),
  notes: fc.constantFrom('n', 'm'),
  isNamed: fc.boolean(),
});

async function load(
  { engine, id }: EngineBook,
  entries: readonly ImportEntry[],
  more: object = {},
): Promise<void> {
  await importEntries(engine, id, {
    entries: () => entries,
    defaultAccount: null,
    dryRun: false,
    ...more,
  });
}

const first = [
  entryWithId('a', { date: '2026-01-02', amount: units(-1), payee: 'Shop' }),
  entryWithId('b', { date: '2026-01-03', amount: units(-2), payee: 'Rent' }),
  entryOf({ line: 4, date: '2026-01-03', amount: units(2), payee: 'Shop' }),
  entryOf({ line: 5, date: '2026-01-04', amount: units(-3), payee: 'Other' }),
].map((entry) => ({ ...entry, account: 'Bank' }));

/** What two statements say before and after the first rows. */
const stated = ['2026-01-01', '2026-01-05'].map((date, at) => {
  return { kind: 'ledger' as const, date, amount: units(at === 0 ? 100 : 96) };
});

onEngines('transactions of proved days', (open) => {
  it('keep date, amount and account, whatever files are imported and rules applied', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(imports, rules), { minLength: 1, maxLength: 20 }),
        async (steps) => {
          const book = await open();
          for (const balance of stated) {
            const ofFile = { currency: null, balances: [balance] };
            await load(book, first, { balances: new Map([['Bank', ofFile]]) });
          }
          const [account] = await book.rows(manualAccounts);
          const days = await book.read(() => provedDaysOf(book.id, 'manual', account!.id));
          assert.deepEqual(days, [{ after: '2026-01-01', upTo: '2026-01-05' }]);
          const before = await book.rows(transactions);
          const category = await book.change((change) =>
            change.insert(categories, { name: 'Living' }),
          );
          for (const step of steps) {
            if (step.kind === 'import') await load(book, step.file, { onDoubt: step.onDoubt });
            else {
              const { payee, notes, isNamed } = step;
              await book.change(function* (change) {
                yield* createRule(change, {
                  name: 'n',
                  conditions: { payee: { operator: 'contains', value: payee } },
                  actions: { notes, category_id: category.id, ...(isNamed && { payee: 'Named' }) },
                });
                yield* applyToExisting(change, {});
              });
            }
          }
          const after = new Map((await book.rows(transactions)).map((row) => [row.id, row]));
          for (const { id, date, amount, currency, manual_account_id, is_pending } of before) {
            const row = after.get(id)!;
            assert.deepEqual(
              [row.date, row.amount, row.currency, row.manual_account_id, row.is_pending],
              [date, amount, currency, manual_account_id, is_pending],
            );
          }
        },
      ),
      { numRuns: runs(40) },
    );
  });
});
