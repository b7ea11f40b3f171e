import { toInstant } from '@coffer/core/dates';
import { nameKey } from '@coffer/core/text';
import type { Change } from '../../book/change.ts';
import { changing } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { given } from '../../db/table.ts';
import { manualAccounts } from '../../db/tables/tables.ts';
import { parseAmountInput } from '../../operations/amounts.ts';
import { bodyProblem } from '../../operations/problem.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import { latestToBase } from '../currencies/actions.ts';
import { recordOf } from '../../operations/records.ts';
import type { ManualAccount } from './balances.ts';
import * as rules from './rules.ts';
import type { ManualAccountInsert, ManualAccountUpdate } from './schema.ts';

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
  return yield* change.insert(manualAccounts, {
    ...otherColumns(body),
    ...names,
    ...closing.columns,
    ...(yield* balanceColumns(change, body, currency)),
    type: body.type,
    created_by_name: defaults.createdBy,
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
  return yield* change.update(manualAccounts, before, {
    ...otherColumns(body),
    ...names,
    ...closing.columns,
    ...given({ type: body.type }),
    ...(yield* newMoney(change, before, body)),
  });
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
