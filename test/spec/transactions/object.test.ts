import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { entryOf, importInto } from '../../service/imported.ts';
import { attached } from '../../service/small-book.ts';
import { startService, type Row } from '../../service/started-service.ts';

const service = await startService();
after(() => service.close());

const everything = 'include_pending=true&include_split_parents=true&include_group_children=true';
const rows = (await service.list(everything)).transactions;

function named(payee: string, list = rows): Row {
  const found = list.find((row) => row.payee === payee);
  assert.ok(found, payee);
  return found;
}

async function byId(payee: string): Promise<Row> {
  const answer = await service.ask(`/v2/transactions/${named(payee).id}`);
  assert.equal(answer.status, 200);
  return JSON.parse(answer.text) as Row;
}

function childrenOf(row: Row): readonly Row[] {
  return row['children'] as readonly Row[];
}

test('amounts are strings with four decimals, money out positive; to_base is a number; texts are as sent', () => {
  assert.equal(named('new year')['notes'], 'with "quotes" and 🥂');
  const money = ['wages', 'january rent', 'abroad'].map((payee) => {
    const { amount, currency, to_base } = named(payee);
    return [amount, currency, to_base];
  });
  assert.deepEqual(money, [
    ['-2840.0000', 'eur', -2840],
    ['800.0000', 'eur', 800],
    ['12.3456', 'usd', 11.1111],
  ]);
});

test('an imported row without a payee shows [No Payee]', async () => {
  const entry = entryOf({ line: 1, date: '2025-08-01', amount: -5, payee: '' });
  await importInto(service.engine, service.ben.bookId, [entry]);
  const page = await service.list('start_date=2025-08-01', { as: service.ben });
  assert.equal(page.transactions[0]?.payee, '[No Payee]');
  assert.equal(page.transactions[0]['amount'], '0.0005');
});

test('include_metadata adds its two keys to every row, null without metadata', async () => {
  const { transactions } = await service.list('include_metadata=true');
  for (const row of transactions) assert.ok('plaid_metadata' in row && 'custom_metadata' in row);
  const with_ = named('clocks forward in the east', transactions);
  assert.deepEqual(with_['plaid_metadata'], { id: 'p1' });
  assert.deepEqual(with_['custom_metadata'], { seat: { row: 7 } });
  assert.equal(named('wages', transactions)['custom_metadata'], null);
});

test('include_files adds files to every row, empty without files', async () => {
  const { transactions } = await service.list('include_files=true');
  for (const row of transactions) {
    const files = row['files'] as { id: number }[];
    if (row.payee !== attached.payee) assert.deepEqual(files, []);
    else {
      const { id } = files[0]!;
      assert.deepEqual(files, [{ ...attached.file, id, uploaded_by: service.ada.userId }]);
    }
  }
});

test('include_children adds children to groups, and to split parents if listed', async () => {
  const plain = (await service.list('include_children=true')).transactions;
  const names = plain.filter((row) => 'children' in row).map(({ payee }) => payee);
  assert.deepEqual(names, ['a trip']);
  const query = 'include_children=true&include_split_parents=true';
  const shown = (await service.list(query)).transactions;
  const found = childrenOf(named('split shopping', shown)).map(({ payee }) => payee);
  assert.deepEqual(found, ['part for the kitchen', 'part for the house']);
});

test('children have the id of their parent, and the keys of any row', async () => {
  const trip = await byId('a trip');
  const names = childrenOf(trip).map(({ payee }) => payee);
  assert.deepEqual(names, ['train of the trip', 'hotel of the trip']);
  for (const child of childrenOf(trip)) {
    assert.equal(child['group_parent_id'], trip.id);
    for (const key of Object.keys(named('wages'))) assert.ok(key in child, key);
  }
});

test('one transaction by its id has all optional keys', async () => {
  for (const payee of ['wages', 'clocks forward in the east', 'a trip', 'split shopping']) {
    const row = await byId(payee);
    for (const key of ['plaid_metadata', 'custom_metadata', 'files']) assert.ok(key in row, key);
    assert.equal('children' in row, payee === 'a trip' || payee === 'split shopping', payee);
  }
});

test('rows that lists omit are found by their ids', async () => {
  for (const payee of ['pending coffee', 'split shopping', 'train of the trip']) {
    assert.equal((await byId(payee)).payee, payee);
  }
});
