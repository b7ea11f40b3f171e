import { toInstant } from '@coffer/core/dates';
import { nameKey } from '@coffer/core/text';
import { changing, type Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select, find, rowsAs } from '../../db/rows.ts';
import { given, integer, text, type Row } from '../../db/table.ts';
import { manualAccounts, plaidAccounts } from '../../db/tables/tables.ts';
import { parseAmountInput } from '../../operations/amounts.ts';
import { bodyProblem, type ErrorDetail } from '../../operations/problem.ts';
import { latestToBase, ratesOf, type Rates } from '../currencies/actions.ts';
import { recordOf } from '../../operations/records.ts';
import * as rules from './rules.ts';
import type { ManualAccountInsert, ManualAccountUpdate } from './schema.ts';
import sql from 'sql-template-tag';
import { maxAmount } from '@coffer/core/money';
import type { BalanceSource } from './balance-source.ts';
import {
  accountsWithAnchors,
  anchorBalance,
  anchorFound,
  asAnchored,
  balanceByAnchors,
  inSense,
  liabilities,
  putAnchor,
  withLastAnchor,
} from './anchors.ts';
import type { AccountWithAnchor } from './anchors.ts';

export type ManualAccount = Row<typeof manualAccounts>;

/** By how much transactions change the balance of an account, in ten-thousandths of a currency; debit positive. */
export interface BalanceMove {
  readonly accountId: number;
  readonly amount: number;
  readonly currency: string;
  /** The date of the transaction, which decides the rate. */
  readonly date: string;
}

/** The manual accounts of a book that a change has read and not changed since, by id. Others are read. */
export type ReadAccounts = ReadonlyMap<number, ManualAccount>;

/** How balances are moved. */
interface MoveOptions {
  readonly isLater?: boolean;
  readonly accounts?: ReadAccounts | undefined;
}

/**
 * Moves the balances of manual accounts by the amounts of transactions. Money out lowers the balance of an asset and
 * raises that of a liability.
 *
 * An amount in another currency is converted at the rate of its date; without a rate it moves nothing. Unless `isLater`
 * says that the caller does it, each balance becomes an anchor of today. Throws a Problem if a balance would become
 * larger than {@link maxAmount}.
 */
export function* moveBalances(
  change: Change,
  moves: readonly BalanceMove[],
  { isLater = false, accounts }: MoveOptions = {},
): Steps<void> {
  if (moves.length === 0) return;
  const rates = yield* ratesOf();
  const ofAccounts = Map.groupBy(moves, ({ accountId }) => accountId);
  for (const found of yield* movedAccounts(change, [...ofAccounts.keys()], accounts)) {
    const { account } = found;
    const ofAccount = ofAccounts.get(account.id)!;
    const balance = BigInt(account.balance) + (yield* effectOf(account, ofAccount, rates));
    if (!isAmount(balance)) throw tooLarge(account.id);
    yield* setBalance(change, account, Number(balance));
    if (!isLater) yield* anchorFound(change, found, Number(balance));
  }
}

/** Most requests move one balance, of an account that they have read. */
function* movedAccounts(
  change: Change,
  ids: readonly number[],
  accounts: ReadAccounts = new Map(),
): Steps<readonly AccountWithAnchor[]> {
  const read = ids.length === 1 ? accounts.get(ids[0]!) : undefined;
  const found = read === undefined ? undefined : yield* withLastAnchor(change, read);
  return found === undefined ? yield* accountsWithAnchors(change, ids) : [found];
}

/** Keeps the balances of manual accounts as they are, although transactions say otherwise: they become anchors. */
export function* keepBalances(change: Change, moves: readonly BalanceMove[]): Steps<void> {
  if (moves.length === 0) return;
  const ofAccounts = Map.groupBy(moves, ({ accountId }) => accountId);
  for (const found of yield* accountsWithAnchors(change, [...ofAccounts.keys()])) {
    const { account, last } = found;
    if (last === undefined || ofAccounts.get(account.id)!.some(({ date }) => date > last.day))
      yield* anchorFound(change, found, account.balance);
  }
}

/** Sets a balance to what follows from its last anchor; without one it stays, or is that of all rows if `orRows`. */
export function* followAnchors(
  change: Change,
  id: number,
  { orRows = false }: { readonly orRows?: boolean } = {},
): Steps<void> {
  const account = yield* find(manualAccounts, { book_id: change.bookId, id });
  if (account === undefined) return;
  const balance = yield* balanceByAnchors(asAnchored(account), { orRows });
  if (balance === null) return;
  if (!isAmount(balance)) throw tooLarge(id);
  yield* setBalance(change, account, Number(balance));
}

/** Sets the balance of an account as of now, with its value in the primary currency of the book. */
export function* setBalance(
  change: Change,
  account: ManualAccount,
  balance: number,
): Steps<ManualAccount> {
  if (balance === account.balance) return account;
  const to_base = yield* latestToBase(change.bookId, balance, account.currency, change.at);
  const columns = { balance, to_base, balance_as_of: change.at };
  return yield* change.update(manualAccounts, account, columns);
}

/** Returns by how much moves change the balance of an account, in ten-thousandths of its currency. */
export function* balanceEffect(
  account: ManualAccount,
  moves: readonly BalanceMove[],
): Steps<bigint> {
  return yield* effectOf(account, moves, yield* ratesOf());
}

/**
 * Returns the manual accounts of a book with their balances. With `asOf`, a date, the balances are without the
 * transactions after that day; a balance outside ±{@link maxAmount} is then null.
 */
export function* manualBalances(bookId: number, asOf: string | null): Steps<BalanceSource[]> {
  const accounts = yield* select(manualAccounts, { book_id: bookId });
  const later = asOf === null ? [] : yield* movesAfter(bookId, asOf);
  const ofAccount = Map.groupBy(later, ({ accountId }) => accountId);
  const rates = yield* ratesOf();
  const sources: BalanceSource[] = [];
  for (const account of accounts) {
    const effect = yield* effectOf(account, ofAccount.get(account.id) ?? [], rates);
    const balance = BigInt(account.balance) - effect;
    sources.push(sourceOf(account, isAmount(balance) ? Number(balance) : null));
  }
  return sources;
}

function sourceOf(account: ManualAccount, balance: number | null): BalanceSource {
  const { id, currency, to_base: toBase, created_at, closed_on: closedOn } = account;
  const times = { openedOn: created_at.slice(0, 10), closedOn };
  const value = { balance, currency, toBase, quantity: null };
  return { kind: 'manual', id, symbol: null, ...value, ...times };
}

function* effectOf(
  { currency: own, type }: ManualAccount,
  moves: readonly BalanceMove[],
  rates: Rates,
): Steps<bigint> {
  let total = 0n;
  for (const { amount, currency, date } of moves)
    total += BigInt((yield* rates.convert(amount, currency, own, date)) ?? 0);
  return liabilities.has(type) ? total : -total;
}

/** What the transactions after a date did to the balances: see `movesOf` in transactions/writes.ts. */
function* movesAfter(bookId: number, date: string): Steps<BalanceMove[]> {
  const found = yield* rowsAs(
    { account_id: integer, amount: integer, currency: text, date: text },
    sql`SELECT manual_account_id AS account_id, amount, currency, date FROM transactions
      WHERE book_id = ${bookId} AND date > ${date} AND manual_account_id IS NOT NULL
        AND is_pending = 0 AND split_parent_id IS NULL AND is_group_parent = 0`,
  );
  return found.map(({ account_id: accountId, ...move }) => ({ accountId, ...move }));
}

function isAmount(value: bigint): boolean {
  return value >= -BigInt(maxAmount) && value <= BigInt(maxAmount);
}

function tooLarge(id: number) {
  const errMsg = `The balance of manual account ${id} would become larger than any amount`;
  return bodyProblem({ errMsg, manual_account_id: id });
}

/** Returns the manual accounts of a book by id. */
export function* listAccounts(bookId: number): Steps<ManualAccount[]> {
  return yield* select(manualAccounts, { book_id: bookId });
}

/** Who creates an account, and the currency that it has by default. */
export interface NewAccountDefaults {
  readonly createdBy: string;
  readonly currency: string;
}

/** Creates a manual account. Throws a Problem that lists all that is wrong. */
export function* createAccount(
  change: Change,
  body: ManualAccountInsert,
  defaults: NewAccountDefaults,
): Steps<ManualAccount> {
  const { currency = defaults.currency, institution_name = null } = body;
  const names = { name: body.name, institution_name, display_name: displayName(body) ?? null };
  const open = { status: 'active', closed_on: null };
  const closing = rules.closingOf(open, body, change.at.slice(0, 10));
  const clashes = rules.nameProblems(names, yield* listAccounts(change.bookId));
  refuseAll([...rules.valueProblems(body), ...closing.problems, ...clashes]);
  const account = yield* change.insert(manualAccounts, {
    ...otherColumns(body),
    ...names,
    ...closing.columns,
    ...(yield* balanceColumns(change, body, currency)),
    type: body.type,
    created_by_name: defaults.createdBy,
  });
  // Without a balance nothing is known of its past: it is what its transactions sum to.
  if (account.balance !== 0) yield* anchorGiven(change, account);
  return account;
}

/** The balance that a request gives becomes an anchor of the day for which it is. */
function* anchorGiven(change: Change, account: ManualAccount): Steps<void> {
  const day = account.balance_as_of.slice(0, 10);
  if (day === change.at.slice(0, 10)) yield* anchorBalance(change, account.id);
  else
    yield* putAnchor(change, asAnchored(account), {
      day,
      source: 'api',
      balance: inSense(account, account.balance),
    });
}

/** Changes a manual account. Throws a Problem that lists all that is wrong. */
export function* updateAccount(
  change: Change,
  before: ManualAccount,
  body: ManualAccountUpdate,
): Steps<ManualAccount> {
  const { name, institution_name } = body;
  const names = given({ name, institution_name, display_name: displayName(body) });
  const closing = rules.closingOf(before, body, change.at.slice(0, 10));
  refuseAll([
    ...rules.emptyUpdateProblems(body),
    ...rules.valueProblems(body),
    ...closing.problems,
    ...(yield* clashesOf(before, { ...before, ...names })),
  ]);
  const account = yield* change.update(manualAccounts, before, {
    ...otherColumns(body),
    ...names,
    ...closing.columns,
    ...given({ type: body.type }),
    ...(yield* newMoney(change, before, body)),
  });
  const isOther =
    account.currency !== before.currency ||
    liabilities.has(account.type) !== liabilities.has(before.type);
  if (body.balance !== undefined) yield* anchorGiven(change, account);
  else if (isOther) yield* anchorBalance(change, account.id);
  return account;
}

/** Names that clash already, such as those of imports, do not prevent other changes. */
function* clashesOf(before: ManualAccount, after: ManualAccount): Steps<ErrorDetail[]> {
  if (nameKey(rules.shownName(before)) === nameKey(rules.shownName(after))) return [];
  const all = yield* listAccounts(before.book_id);
  return rules.nameProblems(
    after,
    all.filter(({ id }) => id !== before.id),
  );
}

/** A blank display name means none. */
function displayName({ display_name: name }: ManualAccountUpdate): string | null | undefined {
  return name?.trim() === '' ? null : name;
}

function* newMoney(
  change: Change,
  before: ManualAccount,
  body: ManualAccountUpdate,
): Steps<Partial<ManualAccount>> {
  const { balance, currency = before.currency } = body;
  if (balance !== undefined) return yield* balanceColumns(change, { ...body, balance }, currency);
  if (currency === before.currency) return {};
  return { currency, to_base: yield* worth(change, before.balance, currency) };
}

function* balanceColumns(
  change: Change,
  { balance, balance_as_of: asOf }: Pick<ManualAccountInsert, 'balance' | 'balance_as_of'>,
  currency: string,
) {
  const amount = parseAmountInput(balance)!;
  const balance_as_of = asOf === undefined ? change.at : toInstant(asOf)!;
  return {
    balance: amount,
    currency,
    balance_as_of,
    to_base: yield* worth(change, amount, currency),
  };
}

function worth({ bookId, at }: Change, balance: number, currency: string): Steps<number> {
  return latestToBase(bookId, balance, currency, at);
}

/** The columns that no rule depends on. */
function otherColumns(body: ManualAccountUpdate) {
  const { subtype, external_id, exclude_from_transactions, custom_metadata: metadata } = body;
  const custom_metadata =
    metadata === undefined || metadata === null ? metadata : JSON.stringify(metadata);
  return given({ subtype, external_id, exclude_from_transactions, custom_metadata });
}

function refuseAll(problems: readonly ErrorDetail[]): void {
  if (problems.length > 0) throw bodyProblem(...problems);
}

/**
 * Sets the display name of an account, as one change of the book. `name` stays, because imports find the account by it.
 *
 * Throws a Problem if another account has the name, as `name` or as `display_name`.
 */
export function* renameAccount(bookId: number, id: number, name: string): Steps<void> {
  const cause = { bookId, actor: 'command', operation: 'account rename' };
  yield* changing(cause, function* (change) {
    const account = yield* accountOf(change, id);
    yield* refuseTakenName(change, account, name);
    const display_name = name === account.name ? null : name;
    yield* change.update(manualAccounts, account, { display_name });
  });
}

/** Closes an account as of today in UTC, or makes it active again, as one change of the book. */
export function* archiveAccount(bookId: number, id: number, isArchived: boolean): Steps<void> {
  const cause = { bookId, actor: 'command', operation: 'account archive' };
  yield* changing(cause, function* (change) {
    const account = yield* accountOf(change, id);
    const today = change.at.slice(0, 10);
    const status = isArchived ? 'closed' : 'active';
    const { columns } = rules.closingOf(account, { status }, today);
    yield* change.update(manualAccounts, account, columns);
  });
}

function* accountOf({ bookId }: Change, id: number): Steps<ManualAccount> {
  return yield* recordOf(manualAccounts, 'account', bookId, id);
}

function* refuseTakenName(change: Change, own: ManualAccount, name: string): Steps<void> {
  const others = (yield* listAccounts(change.bookId)).filter(({ id }) => id !== own.id);
  const names = others.flatMap((each) => [each.name, each.display_name ?? '']);
  if (!names.map(nameKey).includes(nameKey(name))) return;
  throw bodyProblem({ errMsg: `Account with name '${name}' already exists` });
}

type PlaidAccountRow = Row<typeof plaidAccounts>;

/** Returns the plaid accounts of a book by id. */
export function* listPlaidAccounts(bookId: number): Steps<PlaidAccountRow[]> {
  return yield* select(plaidAccounts, { book_id: bookId });
}

/** Returns the plaid accounts of a book with the balances that were last read. */
export function* plaidBalances(bookId: number): Steps<BalanceSource[]> {
  const accounts = yield* listPlaidAccounts(bookId);
  return accounts.map(({ id, status, balance, currency, to_base: toBase, ...account }) => {
    // The day of closing is not known, so a closed account has no balance of any month.
    const value = { balance: status === 'closed' ? null : balance, currency, toBase };
    const times = { openedOn: account.date_linked, closedOn: null };
    return { kind: 'plaid', id, symbol: null, ...value, quantity: null, ...times };
  });
}
