import assert from 'node:assert/strict';
import { it } from 'node:test';
import { balanceHistory } from '../../db/tables.ts';
import { onEnginesAt } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { importRates } from '../../jobs/rates/import-rates.ts';
import { createAccount } from '../accounts/actions.ts';
import { accountTarget } from './sources.ts';
import { writeEntries } from './upsert.ts';

const now = () => Date.parse('2026-04-01T00:00:00.000Z');

onEnginesAt('values of past balances', now, (open) => {
  it('are at the rate of the end of the month, and change when that rate does', async () => {
    const book = await open();
    const store = (rates: Record<string, string>) =>
      importRates(book.engine, {
        files: [new Map([['usd', new Map(Object.entries(rates))]])],
        ...{ source: 'file', actor: 'command' },
      });
    const values = async () =>
      pick(await book.rows(balanceHistory), 'month', 'currency', 'to_base');

    await store({ '2026-01-31': '1.2', '2026-02-01': '1.5' });
    await book.change(function* (to) {
      const body = { name: 'E', type: 'cash', balance: '1' } as const;
      const defaults = { createdBy: 'A', currency: 'eur' };
      const { id } = yield* createAccount(to, body, defaults);
      const target = yield* accountTarget(book.book, 'manual', id);
      yield* writeEntries(to, book.book, target, [
        ...['2025-12', '2026-01', '2026-02'].map((month) => ({ month, balance: '1' })),
        { month: '2026-03', balance: '1', currency: 'usd' },
      ]);
    });
    const early = [
      ['2025-12', 'eur', 0],
      ['2026-01', 'eur', 12_000],
    ];
    const own = ['2026-03', 'usd', 10_000];
    assert.deepEqual(await values(), [...early, ['2026-02', 'eur', 15_000], own]);
    const { updated } = await store({ '2026-02-20': '1.4' });
    assert.equal(updated.records, 2, 'one entry, and the present balance');
    assert.deepEqual(await values(), [...early, ['2026-02', 'eur', 14_000], own]);
    await store({ '2025-12-31': '2' });
    assert.deepEqual((await values())[0], ['2025-12', 'eur', 20_000]);
  });
});
