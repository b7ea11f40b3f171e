import { isDeepStrictEqual } from 'node:util';
import { formatAmount } from '@coffer/core/money';
import sql from 'sql-template-tag';
import type { Change } from '../../../book/change.ts';
import { blocksOf } from '../../../db/blocks.ts';
import { dialectOf, type Steps } from '../../../db/engine.ts';
import { rowAs, select } from '../../../db/rows.ts';
import { integer, type RowUpdate } from '../../../db/table.ts';
import { plaidAccounts, transactions } from '../../../db/tables/tables.ts';
import { bodyProblem, Problem, type ErrorDetail } from '../../../operations/problem.ts';
import type { RememberedKeys } from '../../../pages/remembered-keys.ts';
import { without } from '../../../pages/selection/query.ts';
import { selectedIds } from '../../../pages/selection/selection.ts';
import { moveBalances, type BalanceMove } from '../../accounts/actions.ts';
import { primaryCurrencyOf } from '../../currencies/actions.ts';
import { shownTexts } from '../../recurring/links.ts';
import type { ShownText } from '../../recurring/rules.ts';
import { ProvedRows } from '../proved-rows.ts';
import { readReferences } from '../references.ts';
import { checkedAmount, checkReferences, RowProblems, textOrNull } from '../requests/checks.ts';
import { accountColumns, withoutEchoes, ownTextOf, type Draft } from '../requests/draft.ts';
import { draftsAfter, writeDrafts } from '../requests/update.ts';
import { monthsSelectionOf } from '../selection/actions.ts';
import { movesBetween, movesOf, removeTransactionSet, updateTransactionSet } from '../writes.ts';
import type { TransactionRow } from '../writes.ts';
import type { BulkChange, BulkOutcome, BulkQuery, BulkUpdate } from './schema.ts';

/** Rows that are read at once. */
const readSize = 10_000;

type Columns = RowUpdate<typeof transactions>;

/** What a bulk change will write: sets of rows that get the same columns, or rows to delete. */
interface Plan {
  readonly matched: number;
  /** In ten-thousandths of the primary currency. */
  total: bigint;
  readonly sets: ReadonlyMap<string, { readonly columns: Columns; readonly ids: number[] }>;
  /** Transactions with a new date, amount or account on which others depend, and those that follow them. */
  drafts: readonly Draft[];
  /** How many matching transactions are among the drafts. */
  drafted: number;
  readonly removed: number[];
  readonly moves: BalanceMove[];
  readonly left_out: Record<keyof BulkOutcome['left_out'], number>;
}

/** Returns what a bulk change would do. Throws a Problem with all that is wrong with the request. */
export function* previewBulk(
  bookId: number,
  query: BulkQuery,
  body: BulkChange,
  remembered: RememberedKeys,
): Steps<BulkOutcome> {
  const version = yield* versionFor(bookId, body);
  return outcomeOf(yield* planOf(bookId, query, body, remembered), version);
}

/** Changes or deletes all matching transactions as one change of the book; see {@link previewBulk}. */
export function* changeBulk(
  change: Change,
  query: BulkQuery,
  body: BulkChange,
  remembered: RememberedKeys,
): Steps<BulkOutcome> {
  yield* versionFor(change.bookId, body);
  const plan = yield* planOf(change.bookId, query, body, remembered);
  const { drafts, sets, removed, moves } = plan;
  if (drafts.length > 0) yield* writeDrafts(change, drafts, { isBalanceLater: true });
  for (const { ids, columns } of sets.values()) yield* updateTransactionSet(change, ids, columns);
  const all = [...moves, ...drafts.flatMap(({ before, next }) => movesBetween(before, next))];
  if (removed.length > 0) yield* removeTransactionSet(change, removed, moves);
  else yield* moveBalances(change, all);
  return outcomeOf(plan, change.isEmpty ? change.version - 1 : change.version);
}

function outcomeOf(
  { matched, total, sets, drafted, removed, left_out }: Plan,
  version: number,
): BulkOutcome {
  const updated = [...sets.values()].reduce((sum, { ids }) => sum + ids.length, 0);
  const changed = updated + drafted + removed.length;
  return { version, matched, total: formatAmount(total), changed, left_out };
}

/** Returns the version of the book; throws a Problem with 409 if it is not the one of the preview. */
export function* versionFor(
  bookId: number,
  { version: expected }: Pick<BulkChange, 'version'>,
): Steps<number> {
  const found = yield* rowAs(
    { version: integer },
    sql`SELECT version FROM books WHERE id = ${bookId}`,
  );
  const version = found!.version;
  if (expected === undefined || expected === version) return version;
  const errMsg = `The book has changed since the preview: it has version ${version}, not ${expected}`;
  throw new Problem('bookChanged', { details: [{ errMsg, version: expected, current: version }] });
}

function* planOf(
  bookId: number,
  query: BulkQuery,
  body: BulkChange,
  remembered: RememberedKeys,
): Steps<Plan> {
  const { offset, limit, sort = '-date', force = false, ...filters } = query;
  const selection = { ...monthsSelectionOf(filters), sort };
  yield* checkBody(bookId, body);
  const ids = yield* selectedIds(bookId, selection, { offset, limit }, remembered);
  const plan: Plan = {
    matched: ids.length,
    total: 0n,
    sets: new Map<string, { columns: Columns; ids: number[] }>(),
    drafts: [],
    drafted: 0,
    removed: [],
    moves: [],
    left_out: { pending: 0, split: 0, grouped: 0, locked: 0 },
  };
  const moved: TransactionRow[] = [];
  const { update = {} } = body;
  const isMoving = movingNames.some((name) => update[name] !== undefined);
  const locked = isMoving ? yield* lockedAccounts(bookId) : noAccounts;
  const proved = new ProvedRows(bookId);
  const currency = yield* primaryCurrencyOf(bookId);
  const { isAmong } = yield* dialectOf();
  for (const block of blocksOf(ids, readSize)) {
    const and = isAmong(sql`id`, block);
    const rows = yield* select(transactions, { book_id: bookId }, { and, orderBy: ['id'] });
    for (const { to_base } of rows) plan.total += BigInt(to_base);
    if (isMoving) {
      const { plain = [], others = [] } = Object.groupBy(
        movable(plan, rows, update, locked),
        (row) => (isPlain(row, update, currency) ? 'plain' : 'others'),
      );
      moved.push(...others);
      yield* addUpdated(plan, plain, update, proved);
    } else if (body.update !== undefined) yield* addUpdated(plan, rows, update, proved);
    else
      for (const before of addRemoved(plan, rows))
        yield* proved.add({ index: null, before, next: null });
  }
  if (isMoving) yield* addMoved(plan, moved, update, proved);
  if (!force) proved.throwIfAny();
  return plan;
}

function* checkBody(
  bookId: number,
  { update, delete: isDeleting = false }: BulkChange,
): Steps<void> {
  if ((update !== undefined) === isDeleting)
    throw bodyProblem(wrong('update', 'Body must have either update or delete: true'));
  if (update === undefined) return;
  const { add_tag_ids: added = [], remove_tag_ids: removed = [], ...values } = update;
  const problems = new RowProblems();
  const place = { problems, index: null };
  const references = yield* readReferences(bookId, [
    { ...values, tag_ids: [...added, ...removed] },
  ]);
  checkReferences(place, values, references);
  if (values.amount !== undefined) checkedAmount(place, values.amount);
  if (Object.keys(update).length === 0)
    problems.details.push(wrong('update', 'Body property update must have at least one property'));
  const check = (
    name: 'add_tag_ids' | 'remove_tag_ids',
    isWrong: (id: number) => boolean,
    text: string,
  ) => {
    for (const [index, id] of (update[name] ?? []).entries())
      if (isWrong(id))
        problems.details.push(wrong(name, `Body property update/${name}/${index} ${text}: ${id}`));
  };
  for (const name of ['add_tag_ids', 'remove_tag_ids'] as const)
    check(name, (id) => !references.tags.has(id), 'is not a tag of this book');
  check('remove_tag_ids', (id) => added.includes(id), 'is also in add_tag_ids');
  problems.throwIfAny();
}

function wrong(property: string, errMsg: string): ErrorDetail {
  return { errMsg, invalid_property: property };
}

/** Returns the rows that will be deleted. */
function addRemoved(plan: Plan, rows: readonly TransactionRow[]): TransactionRow[] {
  const taken: TransactionRow[] = [];
  for (const row of rows) {
    if (row.is_split_parent || row.split_parent_id !== null) plan.left_out.split += 1;
    else if (row.is_group_parent || row.group_parent_id !== null) plan.left_out.grouped += 1;
    else {
      plan.removed.push(row.id);
      plan.moves.push(...movesOf(row));
      taken.push(row);
    }
  }
  return taken;
}

/** What balances depend on: then splits and groups follow, too. */
const movingNames = ['date', 'amount', 'manual_account_id', 'plaid_account_id'] as const;
const noAccounts: ReadonlySet<number | null> = new Set();

/** Returns the ids of the synced accounts whose transactions cannot get another amount or account. */
function* lockedAccounts(bookId: number): Steps<ReadonlySet<number | null>> {
  const where = { book_id: bookId, allow_transaction_modifications: false } as const;
  return new Set((yield* select(plaidAccounts, where)).map(({ id }) => id));
}

/** Returns the rows that can get the values of an update, and counts the others. */
function movable(
  { left_out }: Plan,
  rows: readonly TransactionRow[],
  update: BulkUpdate,
  locked: ReadonlySet<number | null>,
): TransactionRow[] {
  const isDateAlone = movingNames.every((name) => name === 'date' || update[name] === undefined);
  const reasonAgainst = (row: TransactionRow): keyof Plan['left_out'] | null => {
    if (update.status === 'reviewed' && row.is_pending) return 'pending';
    if (isDateAlone) return null;
    if (row.is_group_parent) return 'grouped';
    return locked.has(row.plaid_account_id) ? 'locked' : null;
  };
  return rows.filter((row) => {
    const reason = reasonAgainst(row);
    if (reason !== null) left_out[reason] += 1;
    return reason === null;
  });
}

/**
 * Whether nothing but a row and its account depends on its date, amount and account: its value in the primary currency
 * is its amount, its external id stays unique, and no split or group follows.
 */
function isPlain(
  row: TransactionRow,
  { manual_account_id, plaid_account_id }: BulkUpdate,
  primaryCurrency: string,
): boolean {
  const isSingle =
    !row.is_split_parent &&
    row.split_parent_id === null &&
    !row.is_group_parent &&
    row.group_parent_id === null;
  const keepsAccount = manual_account_id === undefined && plaid_account_id === undefined;
  return isSingle && row.currency === primaryCurrency && (keepsAccount || row.external_id === null);
}

/** Adds what rows are after an update, each as a request for it alone would change it. */
function* addMoved(
  plan: Plan,
  rows: readonly TransactionRow[],
  update: BulkUpdate,
  proved: ProvedRows,
): Steps<void> {
  const [first] = rows;
  if (first === undefined) return;
  const values = without(update, ['add_tag_ids', 'remove_tag_ids']);
  const updates = rows.map((row, index) => {
    const tag_ids = JSON.parse(tagsAfter(row, update)) as number[];
    return { index, row, body: { ...values, tag_ids } };
  });
  const problems = new RowProblems((index) => `Transaction ${rows[index]!.id}`);
  const drafts = yield* draftsAfter(first.book_id, problems, updates, true);
  plan.drafts = drafts.filter(({ before, next }) => !isDeepStrictEqual(before, next));
  const matching = new Set(rows.map(({ id }) => id));
  plan.drafted = plan.drafts.filter(({ before }) => matching.has(before.id)).length;
  for (const { before, next } of plan.drafts) yield* proved.add({ index: null, before, next });
}

function* addUpdated(
  plan: Plan,
  rows: readonly TransactionRow[],
  update: BulkUpdate,
  proved: ProvedRows,
): Steps<void> {
  const taken = rows.filter((row) => update.status !== 'reviewed' || !row.is_pending);
  plan.left_out.pending += rows.length - taken.length;
  const texts = yield* textsAfter(taken, update);
  for (const row of taken) {
    const next: TransactionRow = {
      ...row,
      ...texts.get(row.id),
      ...movedColumns(row, update),
      tag_ids: tagsAfter(row, update),
      status: update.status ?? row.status,
    };
    const columns = differing(row, next);
    const key = JSON.stringify(columns);
    if (key === '{}') continue;
    const set = plan.sets.get(key);
    if (set === undefined) (plan.sets as Map<string, unknown>).set(key, { columns, ids: [row.id] });
    else set.ids.push(row.id);
    plan.moves.push(...movesBetween(row, next));
    yield* proved.add({ index: null, before: row, next });
  }
}

/** What balances depend on, of a plain row; see {@link isPlain}. */
function movedColumns(row: TransactionRow, update: BulkUpdate) {
  const { date = row.date } = update;
  const place = { problems: new RowProblems(), index: null };
  const amount = update.amount === undefined ? row.amount : checkedAmount(place, update.amount);
  const isSame = amount === row.amount && date === row.date;
  return { date, amount, to_base: isSame ? row.to_base : amount, ...accountColumns(row, update) };
}

/** Returns the text columns, by id, of rows that get another text. A recurring item decides what its rows show. */
function* textsAfter(
  rows: readonly TransactionRow[],
  { payee, notes, category_id }: BulkUpdate,
): Steps<Map<number, Partial<ShownText>>> {
  const sent = { payee, notes: notes === undefined ? undefined : textOrNull(notes), category_id };
  const linked = rows.filter(({ recurring_id: id }) => id !== null);
  const owns = linked.map((row) => ({
    ...ownTextOf(row),
    ...withoutEchoes(row, sent),
    recurring_id: row.recurring_id,
  }));
  const isText = Object.values(sent).some((value) => value !== undefined);
  const shown = isText && linked.length > 0 ? yield* shownTexts(rows[0]!.book_id, owns) : [];
  const texts = new Map<number, Partial<ShownText>>(
    shown.map((text, at) => [linked[at]!.id, text]),
  );
  for (const row of rows)
    if (row.recurring_id === null) texts.set(row.id, withoutEchoes(row, sent));
  return texts;
}

function tagsAfter({ tag_ids: before }: TransactionRow, update: BulkUpdate): string {
  const { add_tag_ids: added = [], remove_tag_ids: removed = [] } = update;
  if (added.length + removed.length === 0) return before;
  const all = new Set([...(JSON.parse(before) as number[]), ...added]);
  return JSON.stringify([...all].filter((id) => !removed.includes(id)));
}

/** The columns that a bulk change can set. */
const columnNames = [
  ...(['payee', 'notes', 'category_id', 'own_payee', 'own_notes', 'own_category_id'] as const),
  ...(['status', 'tag_ids', 'to_base'] as const),
  ...movingNames,
];

function differing(before: TransactionRow, next: TransactionRow): Columns {
  const names = columnNames.filter((name) => before[name] !== next[name]);
  return Object.fromEntries(names.map((name) => [name, next[name]]));
}
