import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { at, isListed, payeesOf, recurring, type BookRow } from '../../service/small-book.ts';
import { payees, startService, type Row } from '../../service/started-service.ts';

const service = await startService();
after(() => service.close());

const everything = 'include_pending=true&include_split_parents=true&include_group_children=true';
const wire = new Map((await service.list(everything)).transactions.map((row) => [row.payee, row]));

function row(payee: string): Row {
  const found = wire.get(payee);
  assert.ok(found, payee);
  return found;
}

/** The ids of the records in the small book, by their positions in it. */
const ids = {
  wallet: row('old year')['manual_account_id'] as number,
  bank: row('january rent')['manual_account_id'] as number,
  card: row('leap day c')['plaid_account_id'] as number,
  rent: row('january rent')['category_id'] as number,
  food: row('old year')['category_id'] as number,
  home: await categoryId('Home'),
  holiday: (row('new year')['tag_ids'] as number[])[0]!,
  work: (row('clocks forward in the west')['tag_ids'] as number[])[0]!,
};

async function categoryId(name: string): Promise<number> {
  const { text } = await service.ask('/v2/categories?format=flattened');
  const { categories } = JSON.parse(text) as { categories: { id: number; name: string }[] };
  return categories.find((each) => each.name === name)!.id;
}

type Match = (row: BookRow) => boolean;
type Choice = readonly [text: string, isMatch: Match];

/** Each filter with the rows that it selects; rows are created at noon UTC of their day. */
const choices: Readonly<Record<string, readonly Choice[]>> = {
  manual_account_id: [
    [String(ids.wallet), ({ manualAccount }) => manualAccount === at.wallet],
    [String(ids.bank), ({ manualAccount }) => manualAccount === at.bank],
    ['0', ({ manualAccount }) => manualAccount === null],
    ['999999', () => false],
  ],
  plaid_account_id: [
    [String(ids.card), ({ plaidAccount }) => plaidAccount === at.card],
    ['0', ({ plaidAccount }) => plaidAccount === null],
    ['999999', () => false],
  ],
  category_id: [
    [String(ids.rent), ({ category }) => category === at.rent],
    [String(ids.food), ({ category }) => category === at.food],
    [String(ids.home), ({ category }) => category === at.rent || category === at.power],
    ['0', ({ category }) => category === null],
    ['999999', () => false],
  ],
  tag_id: [
    [String(ids.holiday), ({ tags }) => tags.includes(at.holiday)],
    [String(ids.work), ({ tags }) => tags.includes(at.work)],
    ['999999', () => false],
  ],
  recurring_id: [
    [String(recurring.id), ({ payee }) => payee === recurring.payee],
    ['999999', () => false],
  ],
  status: [
    ['reviewed', ({ status }) => status === 'reviewed'],
    ['unreviewed', ({ status }) => status === 'unreviewed'],
    ['delete_pending', ({ status }) => status === 'delete_pending'],
  ],
  is_group_parent: [
    ['true', ({ is_group_parent }) => is_group_parent],
    ['false', ({ is_group_parent }) => !is_group_parent],
  ],
  start_date: [
    ['2024-02-29', ({ date }) => date >= '2024-02-29'],
    ['2024-03-07', ({ date }) => date >= '2024-03-07'],
  ],
  end_date: [
    ['2024-03-08', ({ date }) => date <= '2024-03-08'],
    ['9999-12-31', () => true],
  ],
  created_since: [
    ['2024-02-29', ({ date }) => date >= '2024-02-29'],
    ['2024-02-29T11:59:59.999Z', ({ date }) => date >= '2024-02-29'],
    ['2024-02-29T12:00:00Z', ({ date }) => date > '2024-02-29'],
    ['2024-02-29T17:30:00%2B05:30', ({ date }) => date > '2024-02-29'],
    ['2024-02-28T22:30:00-13:30', ({ date }) => date > '2024-02-29'],
  ],
  updated_since: [
    ['2024-03-10', ({ date }) => date >= '2024-03-10'],
    ['2024-03-10T12:00:00.000Z', ({ date }) => date > '2024-03-10'],
    ['2024-03-10T11:59:59Z', ({ date }) => date >= '2024-03-10'],
    ['2024-03-10T17:30:00%2B05:30', ({ date }) => date > '2024-03-10'],
    ['2024-03-09T22:30:00-13:30', ({ date }) => date > '2024-03-10'],
  ],
};

/** Pages with any filters and flags together: prove/records/f12-pages.ts. */
async function assertSelects(query: string, isMatch: Match, isShown: Match): Promise<void> {
  const expected = payeesOf((each) => isShown(each) && isMatch(each));
  assert.deepEqual(payees(await service.list(query)), expected, query);
}

for (const [name, options] of Object.entries(choices)) {
  test(`${name} selects exactly its rows, whatever else is included`, async () => {
    for (const [text, isMatch] of options) {
      await assertSelects(`${name}=${text}`, isMatch, isListed);
      await assertSelects(`${everything}&${name}=${text}`, isMatch, () => true);
    }
  });
}
