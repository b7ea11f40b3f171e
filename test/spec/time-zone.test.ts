import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../service/started-service.ts';
import { addRows, importedAt, manyRows } from '../service/service-books.ts';

const service = await startService();
after(() => service.close());

test('the process has the requested time zone, if there is one', () => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  assert.equal(process.env['TZ'] ?? timeZone, timeZone);
});

test('days on which clocks change, or that a zone skipped, are unchanged', async () => {
  const days = ['2011-12-30', '1994-12-31', '2024-03-10', '2024-03-31', '2024-11-03', '2024-12-31'];
  for (const day of days) {
    await addRows(service.engine, service.ben, 1, day);
    const query = `start_date=${day}&end_date=${day}`;
    const { transactions } = await service.list(query, { as: service.ben });
    const shown = transactions.map(({ date, payee }) => [date, payee]);
    assert.deepEqual(shown, [[day, `${day} 0`]]);
  }
});

test('a date in created_since means midnight in UTC, in any zone', async () => {
  const own = await startService();
  const since = async (date: string): Promise<number> => {
    const query = `created_since=${date}&limit=2000`;
    return (await own.list(query, { as: own.ben })).transactions.length;
  };
  assert.equal(await since(importedAt.slice(0, 10)), manyRows);
  assert.equal(await since('2026-03-16'), 0);
  await own.close();
});

test('instants are in UTC, in any zone', async () => {
  const { transactions } = await service.list('limit=1', { as: service.ben });
  assert.equal(transactions[0]?.['created_at'], importedAt);
});
