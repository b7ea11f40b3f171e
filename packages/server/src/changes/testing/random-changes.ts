import fc from 'fast-check';
import { nameKey } from '@coffer/core/text';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { BookTable, Row, Values } from '../../db/table.ts';
import * as tables from '../../db/tables.ts';
import { bookTables } from '../../db/tables.ts';
import { BulkRows, type NewTransaction } from '../../resources/transactions/actions.ts';
import { removeCategory } from '../../resources/categories/merge.ts';
import type { Change } from '../change.ts';

const changedTables = ['categories', 'tags', 'transactions', 'crypto_synced_balances'] as const;
type ChangedTable = (typeof changedTables)[number];

/** One write of a change. Numbers choose the records that it refers to among the existing ones. */
export interface Write {
  readonly kind: 'insert' | 'update' | 'remove';
  readonly table: ChangedTable;
  readonly picks: readonly number[];
  readonly columns: readonly number[];
  readonly seeds: readonly number[];
}

/** The writes of one change. There are few records and values, so that changes affect each other. */
export const changeArbitrary: fc.Arbitrary<readonly Write[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('insert', 'update', 'update', 'remove'),
    table: fc.constantFrom(...changedTables),
    picks: fc.array(fc.nat(7), { minLength: 1, maxLength: 4 }),
    columns: fc.array(fc.nat(30), { minLength: 1, maxLength: 3 }),
    seeds: fc.array(fc.nat(11), { minLength: 6, maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Performs the writes of a change by the rules of the API: names are unique, and references exist. */
export function* performWrites(change: Change, writes: readonly Write[]): Steps<void> {
  for (const write of writes) yield* performWrite(change, write);
}

function* performWrite(change: Change, write: Write): Steps<void> {
  const table = bookTables.find(({ name }) => name === write.table)!;
  const all = yield* select(table, { book_id: change.bookId });
  const picked = [...new Set(write.picks.map((pick) => all[pick % all.length]))].filter(
    (row) => row !== undefined,
  );
  if (write.kind === 'insert') yield* insertRecords(change, table, write, all);
  else if (write.kind === 'update') yield* updateRecords(change, table, write, picked, all);
  else yield* removeRecords(change, table, picked);
}

function* insertRecords(
  change: Change,
  table: BookTable,
  { picks, seeds }: Write,
  all: readonly Values[],
): Steps<void> {
  const bulk = new BulkRows(change);
  const known = [...all];
  for (const pick of picks) {
    const values = yield* valuesOf(change, table, [pick, ...seeds], known);
    if (values === null) continue;
    known.push(values);
    if (table.name === 'transactions')
      bulk.add({ id: yield* bulk.nextId(), ...values } as unknown as NewTransaction);
    else yield* change.insert(table, values);
  }
  yield* bulk.flush();
}

function* updateRecords(
  change: Change,
  table: BookTable,
  { columns, seeds }: Write,
  picked: readonly Row<BookTable>[],
  all: readonly Values[],
): Steps<void> {
  const others = all.filter((row) => row !== picked[0]);
  const values = yield* valuesOf(change, table, seeds, others);
  if (values === null) return;
  const names = Object.keys(values).filter((name) => !table.key.includes(name));
  const set = Object.fromEntries(
    columns.map((column) => names[column % names.length]!).map((name) => [name, values[name]]),
  );
  // A category cannot become a group.
  delete set['is_group'];
  // An account has one transaction for each external id, and a transaction has at most one account.
  const ofAccount = ['manual_account_id', 'plaid_account_id', 'external_id'];
  const hasAccount = ofAccount.some((name) => name in set);
  if (hasAccount) for (const name of ofAccount) set[name] = values[name];
  const rows = hasAccount || 'name' in set ? picked.slice(0, 1) : picked;
  const isAllowed = (row: Values): boolean =>
    (set['group_id'] ?? null) === null || row['is_group'] !== true;
  yield* change.updateAll(table, rows.filter(isAllowed), set);
}

function* removeRecords(
  change: Change,
  table: BookTable,
  picked: readonly Row<BookTable>[],
): Steps<void> {
  const [first] = picked;
  if (first === undefined) return;
  if (table === (tables.categories as BookTable))
    yield* removeCategory(change, first as Row<typeof tables.categories>);
  else if (table === (tables.tags as BookTable))
    yield* removeTag(change, first as Row<typeof tables.tags>);
  else if (table === (tables.transactions as BookTable)) yield* removeTransactions(change, picked);
  else yield* change.removeAll(table, picked);
}

/** Removes transactions. Members of a removed group leave it. */
function* removeTransactions(change: Change, picked: readonly Values[]): Steps<void> {
  const going = new Set(picked.map(({ id }) => id));
  const all = yield* select(tables.transactions, { book_id: change.bookId });
  const members = all.filter((row) => going.has(row.group_parent_id) && !going.has(row.id));
  yield* change.updateAll(tables.transactions, members, { group_parent_id: null });
  yield* change.removeAll(
    tables.transactions,
    all.filter((row) => going.has(row.id)),
  );
}

/** Returns the columns of a record; null if a unique value is taken. */
function* valuesOf(
  change: Change,
  table: BookTable,
  seeds: readonly number[],
  others: readonly Values[],
): Steps<Values | null> {
  const [a = 0, b = 0, c = 0, d = 0] = seeds;
  const name = ['Food', 'food ', 'Rent', 'Caf\u00e9', 'Cafe\u0301', 'Car', 'Gym', 'Tax'][a % 8]!;
  const isTaken = others.some((other) => nameKey(String(other['name'])) === nameKey(name));
  const book = { book_id: change.bookId };
  if (table.name === 'crypto_synced_balances') {
    const accounts = yield* select(tables.cryptoAccounts, book);
    const key = { account_id: accounts[b % accounts.length]!.id, symbol: ['btc', 'eth'][a % 2] };
    const isThere = (row: Values) =>
      row['account_id'] === key.account_id && row['symbol'] === key.symbol;
    if (others.some(isThere)) return null;
    const quantity = `${c}.000000000000000000`;
    return { ...key, name, quantity, read_at: change.at, coingecko_id: d % 2 ? 'id' : null };
  }
  if (table.name === 'tags')
    return isTaken ? null : { name, description: b % 3 ? `D${b}` : null, text_color: null };
  if (table.name === 'categories') {
    const groups = yield* select(tables.categories, { ...book, is_group: true });
    const isGroup = d % 3 === 0;
    const group = isGroup || c % 2 === 0 ? undefined : groups[b % Math.max(1, groups.length)];
    const flags = { is_income: b % 2 === 0, is_group: isGroup };
    if (isTaken) return null;
    return { name, ...flags, group_id: group?.id ?? null, sort_order: c % 3 ? c : null };
  }
  return yield* transactionOf(change, seeds, others);
}

function* transactionOf(
  change: Change,
  [a = 0, b = 0, c = 0, d = 0, e = 0]: readonly number[],
  others: readonly Values[],
): Steps<Values> {
  const book = { book_id: change.bookId };
  const categories = yield* select(tables.categories, { ...book, is_group: false });
  const tags = yield* select(tables.tags, book);
  const accounts = yield* select(tables.manualAccounts, book);
  const synced = yield* select(tables.plaidAccounts, book);
  const parents = others.map(({ id }) => id);
  const idAt = (rows: readonly { id: number }[], at: number) => rows[at]?.id ?? null;
  const manual_account_id = b % 3 === 0 ? idAt(accounts, 0) : null;
  const external_id = e % 2 === 0 ? `E${e % 3}` : null;
  const isTaken = others.some(
    (row) => row['external_id'] === external_id && row['manual_account_id'] === manual_account_id,
  );
  return {
    date: ['2024-01-31', '2024-02-01', '2024-02-29', '2023-12-31'][a % 4],
    amount: a * 10_000,
    currency: 'usd',
    to_base: a * 10_000,
    payee: `P${b}`,
    notes: c % 2 ? `N${c}` : null,
    category_id: idAt(categories, c % 5),
    manual_account_id,
    plaid_account_id: b % 3 === 1 ? idAt(synced, 0) : null,
    external_id: isTaken ? null : external_id,
    tag_ids: JSON.stringify(tags.slice(d % 3, (d % 3) + (e % 3)).map(({ id }) => id)),
    status: d % 2 ? 'reviewed' : 'unreviewed',
    is_pending: d % 5 === 0,
    group_parent_id: d % 4 === 0 ? (parents[e % Math.max(1, parents.length)] ?? null) : null,
  };
}

/** Adds records that changes refer to: accounts, tags, and a category. */
export function* addAccounts(change: Change): Steps<void> {
  for (const name of ['one', 'two', 'three']) yield* change.insert(tables.tags, { name });
  yield* change.insert(tables.categories, { name: 'First' });
  const made = { currency: 'usd', balance: 0 };
  yield* change.insert(tables.manualAccounts, {
    ...{ ...made, name: 'Cash', type: 'cash', balance_as_of: change.at, created_by_name: 'A' },
  });
  yield* change.insert(tables.plaidAccounts, {
    ...{ ...made, name: 'Card', type: 'credit', subtype: 'card', mask: '1234' },
    ...{ institution_name: 'Bank', linked_by_name: 'A', date_linked: '2024-01-01' },
  });
  for (const provider of ['kraken', 'ethereum'] as const)
    yield* change.insert(tables.cryptoAccounts, {
      ...{ provider, status: 'active', created_by_name: 'A' },
      sealed_credentials: Buffer.from('sealed'),
    });
}

/** Removes a tag from every transaction, and then the tag itself. */
function* removeTag(change: Change, tag: Row<typeof tables.tags>): Steps<void> {
  yield* change.settle();
  for (const row of yield* select(tables.transactions, { book_id: change.bookId })) {
    const left = (JSON.parse(row.tag_ids) as number[]).filter((id) => id !== tag.id);
    yield* change.update(tables.transactions, row, { tag_ids: JSON.stringify(left) });
  }
  yield* change.remove(tables.tags, tag);
}
