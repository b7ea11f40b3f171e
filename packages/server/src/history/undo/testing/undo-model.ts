import assert from 'node:assert/strict';
import { nameKey } from '@coffer/core/text';
import type { BookState, RecordsByKey } from '../../../book/testing/book-state.ts';
import type { BookTable, Values } from '../../../db/table.ts';
import { bookTables } from '../../../db/tables/tables.ts';
import { movesOf, type TransactionRow } from '../../../ledger/transactions/writes.ts';

/** What an undo should do: either its conflicts, as `table key column: reason`, or the state after it. */
export interface Expected {
  readonly conflicts: readonly string[];
  readonly state: BookState;
}

type Records = Map<string, Values>;

/**
 * Returns what the undo of a version should do, by the states before and after the version, and by all later states.
 * The last one is the state now. It knows nothing of the log. The state is without what the version created, also if
 * there are conflicts.
 */
export function expectedUndo(
  before: BookState,
  after: BookState,
  later: readonly BookState[],
): Expected {
  return new UndoModel(before, after, later).run();
}

class UndoModel {
  readonly #before: BookState;
  readonly #after: BookState;
  readonly #later: readonly BookState[];
  readonly #now: BookState;
  readonly #next = new Map<string, Records>();
  readonly #conflicts = new Set<string>();
  /** Records with restored columns, in the order in which they are restored. */
  readonly #restored: { table: BookTable; key: string; columns: readonly string[] }[] = [];

  constructor(before: BookState, after: BookState, later: readonly BookState[]) {
    [this.#before, this.#after, this.#later] = [before, after, later];
    this.#now = later.at(-1) ?? after;
    for (const [table, records] of this.#now) this.#next.set(table, new Map(records));
  }

  run(): Expected {
    for (const table of bookTables) this.#findChangesOfMade(table);
    this.#bringBackRemoved();
    for (const table of bookTables) this.#changeBack(table);
    this.#findArranged();
    for (const each of this.#restored) this.#findTaken(each.table, each.key, each.columns);
    for (const table of bookTables) this.#findUses(table);
    for (const table of bookTables)
      for (const key of this.#made(table)) this.#next.get(table.name)!.delete(key);
    this.#moveBalances();
    return { conflicts: [...this.#conflicts].toSorted(), state: this.#next };
  }

  /** A record that is never shown does not prevent an undo, and stays. */
  #add({ name, isInternal }: BookTable, key: string, column: string | null, reason: string): void {
    if (!isInternal) this.#conflicts.add(`${name} ${key} ${column}: ${reason}`);
  }

  #rows(state: BookState, { name }: BookTable): RecordsByKey {
    return state.get(name)!;
  }

  #made(table: BookTable): string[] {
    const before = this.#rows(this.#before, table);
    return [...this.#rows(this.#after, table).keys()].filter((key) => !before.has(key));
  }

  #isMade(name: string, key: string): boolean {
    return this.#after.get(name)!.has(key) && !this.#before.get(name)!.has(key);
  }

  #findChangesOfMade(table: BookTable): void {
    for (const key of this.#made(table)) {
      const [made, row] = [this.#after, this.#now].map((each) => this.#rows(each, table).get(key));
      for (const column of row === undefined ? [] : Object.keys(row))
        if (row![column] !== made![column] && !isMovement(table, column))
          this.#add(table, key, column, 'changed since');
    }
  }

  #bringBackRemoved(): void {
    const waiting: { table: BookTable; key: string; row: Values }[] = [];
    for (const table of bookTables)
      for (const [key, row] of this.#rows(this.#before, table)) {
        if (this.#rows(this.#after, table).has(key)) continue;
        if (this.#rows(this.#now, table).has(key)) this.#add(table, key, null, 'taken since');
        else waiting.push({ table, key, row });
      }
    // All that refer to each other come back together, unless one of them cannot.
    for (const { table, key, row } of waiting) this.#next.get(table.name)!.set(key, row);
    for (let isStable = false; !isStable;) {
      isStable = true;
      for (const { table, key, row } of waiting)
        if (this.#next.get(table.name)!.has(key) && this.#missing(table, row).length > 0) {
          this.#next.get(table.name)!.delete(key);
          isStable = false;
        }
    }
    for (const { table, key, row } of waiting) {
      const columns = Object.keys(row);
      if (this.#next.get(table.name)!.has(key)) this.#restored.push({ table, key, columns });
      for (const column of this.#missing(table, row))
        this.#add(table, key, column, 'removed since');
    }
  }

  /** The columns that refer to a missing record, which the book had before the version. */
  #missing(table: BookTable, row: Values, columns = Object.keys(row)): string[] {
    const isThere = (name: string, id: number): boolean =>
      this.#next.get(name)!.has(String(id)) || !this.#before.get(name)!.has(String(id));
    return columns.filter((column) =>
      referencesOf(table, column, row[column]).some(([name, id]) => !isThere(name, id)),
    );
  }

  #changeBack(table: BookTable): void {
    for (const [key, after] of this.#rows(this.#after, table)) {
      const before = this.#rows(this.#before, table).get(key);
      if (before === undefined) continue;
      const columns = Object.keys(after).filter((name) => before[name] !== after[name]);
      if (columns.length === 0) continue;
      const row = this.#rows(this.#now, table).get(key);
      if (row === undefined) this.#add(table, key, null, 'removed since');
      else this.#changeRowBack(table, key, { before, after, row, columns });
    }
  }

  /** A transaction that is split or grouped has its amount and its date in common with others. */
  #findArranged(): void {
    const table = bookTables.find(({ name }) => name === 'transactions')!;
    for (const [key, after] of this.#rows(this.#after, table)) {
      const [before, now] = [this.#before, this.#now].map((each) =>
        this.#rows(each, table).get(key),
      );
      if (before === undefined || now === undefined) continue;
      const isChanged = (name: string): boolean => before[name] !== after[name];
      const since = (names: readonly string[]) => names.filter((name) => now[name] !== after[name]);
      const found = [
        ...(shared.some(isChanged) && isLinked(now) ? since(linkColumns) : []),
        ...(linkColumns.some(isChanged) && isLinked(before) ? since(shared) : []),
      ];
      for (const name of found) this.#add(table, key, name, 'changed since');
      if (before['is_split_parent'] === false && after['is_split_parent'] === true)
        this.#findOtherParts(table, after['id']);
    }
  }

  #findOtherParts(table: BookTable, parent: unknown): void {
    for (const [key, row] of this.#rows(this.#now, table))
      if (row['split_parent_id'] === parent && !this.#isMade(table.name, key))
        this.#add(table, key, 'split_parent_id', 'used since');
  }

  #changeRowBack(
    table: BookTable,
    key: string,
    it: { before: Values; after: Values; row: Values; columns: readonly string[] },
  ): void {
    const { before, after, row, columns } = it;
    const hasMoved = columns.some((name) => isMovement(table, name));
    const differing = columns.filter(
      (name) => row[name] !== after[name] && !(hasMoved && isMovement(table, name)),
    );
    const restored: Values = { ...row, ...picked(before, columns) };
    const problems = [
      ...differing.map((name) => [name, 'changed since'] as const),
      ...(differing.length > 0 ? [] : this.#missing(table, restored, [...columns])).map(
        (name) => [name, 'removed since'] as const,
      ),
      ...(differing.length > 0 ? [] : excludedBy(table, restored, columns)).map(
        (name) => [name, 'changed since'] as const,
      ),
    ];
    for (const [name, reason] of problems) this.#add(table, key, name, reason);
    if (problems.length > 0) return;
    this.#next.get(table.name)!.set(key, restored);
    this.#restored.push({ table, key, columns });
  }

  /** Finds unique values of restored records that another record has. */
  #findTaken(table: BookTable, key: string, columns: readonly string[]): void {
    const all = this.#next.get(table.name)!;
    const row = all.get(key)!;
    const others = [...all].filter(([each]) => each !== key && !this.#isMade(table.name, each));
    for (const name of table.unique.filter((each) => columns.includes(each)))
      if (others.some(([, each]) => nameKey(String(each[name])) === nameKey(String(row[name]))))
        this.#add(table, key, name, 'taken since');
    for (const group of table.uniqueTogether) {
      if (!group.some((name) => columns.includes(name))) continue;
      if (group.some((name) => row[name] === null)) continue;
      if (others.some(([, each]) => group.every((name) => each[name] === row[name])))
        this.#add(table, key, group[0]!, 'taken since');
    }
  }

  /** Finds records that refer to created ones, and stay. */
  #findUses(table: BookTable): void {
    for (const [key, row] of this.#next.get(table.name)!) {
      if (this.#isMade(table.name, key)) continue;
      for (const column of Object.keys(row))
        for (const [name, id] of referencesOf(table, column, row[column]))
          if (this.#isMade(name, String(id)) && this.#now.get(name)!.has(String(id)))
            this.#add(table, key, column, 'used since');
    }
  }

  /**
   * The balance of each account moves back by what the version has moved. What later versions have moved by their
   * transactions becomes what they would have moved without it, unless they have left the balance as it was, or the
   * account was missing and is there again. One that is missing now comes back with the balance that it had, and with
   * what its transactions have become.
   */
  #moveBalances(): void {
    const states = [this.#after, ...this.#later];
    const without = states.map((state) => this.#without(state));
    for (const [key, row] of this.#next.get('manual_accounts')!) {
      const sign = row['type'] === 'credit' ? 1 : -1;
      const real = states.map((state) => sign * spentFrom(key, state.get('transactions')!));
      const other = without.map((rows) => sign * spentFrom(key, rows));
      const balances = states.map((state) => balanceOf(state, key));
      const was = balanceOf(this.#before, key);
      const is = balances.at(-1);
      let balance = is === undefined ? was! : is - ((balances[0] ?? 0) - (was ?? 0));
      for (let at = 1; at < states.length; at += 1) {
        const moved = real[at]! - real[at - 1]!;
        const [from, to] = [balances[at - 1], balances[at]];
        const isGone = from === undefined && is === undefined;
        const isSkipped = from === to && moved !== 0 && !isGone;
        if (!isSkipped) balance += other[at]! - other[at - 1]! - moved;
      }
      this.#next.get('manual_accounts')!.set(key, { ...row, balance, to_base: balance });
    }
  }

  /** The transactions of a later state, as they would have been without the version. */
  #without(state: BookState): RecordsByKey {
    const earlier = this.#before.get('transactions')!;
    const rows = new Map(state.get('transactions'));
    for (const [key, after] of this.#after.get('transactions')!) {
      const [row, before] = [rows.get(key), earlier.get(key)];
      if (before === undefined) rows.delete(key);
      else if (row !== undefined) {
        const columns = Object.keys(before).filter((name) => before[name] !== after[name]);
        rows.set(key, { ...row, ...picked(before, columns) });
      }
    }
    return rows;
  }
}

const balanceOf = (state: BookState, key: string): number | undefined =>
  state.get('manual_accounts')!.get(key)?.['balance'] as number | undefined;

/**
 * Asserts that an undo of a part of a version has moved each balance by the transactions alone. The states are those
 * before the version, after it and after all later versions; the last one is that of the undo. A balance is left out
 * if the version has moved it otherwise, or if a later one has left it as it was.
 */
export function compareBalances(states: readonly BookState[]): void {
  for (const [key, { type }] of states.at(-1)!.get('manual_accounts')!) {
    const sign = type === 'credit' ? 1 : -1;
    const balances = states.map((state) => balanceOf(state, key) ?? Number.NaN);
    const spent = states.map((state) => sign * spentFrom(key, state.get('transactions')!));
    const steps = balances.slice(1).map((balance, at) => ({
      moved: balance - balances[at]!,
      expected: spent[at + 1]! - spent[at]!,
    }));
    const [first, undo] = [steps[0]!, steps.at(-1)!];
    const isSkipped = steps
      .slice(1, -1)
      .some(({ moved, expected }) => moved === 0 && expected !== 0);
    if (first.moved === first.expected && !isSkipped && !steps.some(({ moved }) => isNaN(moved)))
      assert.equal(undo.moved, undo.expected, `the balance of account ${key}`);
  }
}

function spentFrom(account: string, rows: RecordsByKey): number {
  const all = [...rows.values()].flatMap((row) => movesOf(row as unknown as TransactionRow));
  const own = all.filter(({ accountId }) => String(accountId) === account);
  return own.reduce((sum, { amount }) => sum + amount, 0);
}

/** The records that a value refers to: by its own rules, and not by those of the tables. */
function referencesOf(table: BookTable, column: string, value: unknown): [string, number][] {
  if (value === null) return [];
  const target = table.columns[column]?.references;
  if (target !== undefined) return [[target, value as number]];
  if (column === 'tag_ids') return (JSON.parse(value as string) as number[]).map(tagOf);
  if (table.name !== 'rules' || (column !== 'conditions' && column !== 'actions')) return [];
  const found: [string, number][] = [];
  JSON.parse(value as string, (name, each: unknown) => {
    if (name === 'category_id') found.push(['categories', each as number]);
    if (name === 'manual_account_id') found.push(['manual_accounts', each as number]);
    if (name === 'plaid_account_id') found.push(['plaid_accounts', each as number]);
    if (name === 'tag_ids') found.push(...(each as number[]).map(tagOf));
    return each;
  });
  return found;
}

const linkColumns = ['is_split_parent', 'split_parent_id', 'group_parent_id'];
const shared = [
  'amount',
  'currency',
  'to_base',
  'date',
  'is_pending',
  'manual_account_id',
  'plaid_account_id',
];
const isLinked = (row: Values): boolean =>
  linkColumns.some((name) => row[name] !== null && row[name] !== false);

const tagOf = (id: number): [string, number] => ['tags', id];

const movements: Readonly<Record<string, RegExp>> = {
  manual_accounts: /^(balance|to_base|balance_as_of)$/,
  balance_anchors: /^(balance|ahead|set_at)$/,
};

const isMovement = ({ name }: BookTable, column: string): boolean =>
  movements[name]?.test(column) ?? false;

const picked = (row: Values, columns: readonly string[]): Values =>
  Object.fromEntries(columns.map((name) => [name, row[name]]));

/** A transaction has at most one account. */
function excludedBy({ name }: BookTable, row: Values, columns: readonly string[]): string[] {
  if (name !== 'transactions' && name !== 'recurring_items') return [];
  const set = ['manual_account_id', 'plaid_account_id'].filter((each) => row[each] !== null);
  return set.length > 1 ? set.filter((each) => !columns.includes(each)).slice(0, 1) : [];
}
