import { setBalance, type ManualAccount } from './accounts/actions.ts';
import { anchorBalance, liabilities } from './accounts/anchors.ts';
import {
  closed,
  optional,
  someId,
  flag,
  count,
  Currency,
  amount,
  id,
  idPath,
  nullable,
  object,
  reference,
} from '../operations/schema.ts';
import sql from 'sql-template-tag';
import { maxAmount, formatAmount } from '@coffer/core/money';
import { changing, type Change } from '../book/change.ts';
import type { Steps } from '../db/engine.ts';
import { find, idsOf, rowsAs, select } from '../db/rows.ts';
import { integer, text, type Row } from '../db/table.ts';
import { manualAccounts, plaidAccounts, transactions, categories } from '../db/tables/tables.ts';
import { bodyProblem, type ErrorDetail } from '../operations/problem.ts';
import { moveHistory } from './balance-history/actions.ts';
import { ratesOf } from './currencies/actions.ts';
import { recordOf } from '../operations/records.ts';
import type { AccountColumns } from '../book/record.ts';
import type { CurrencyCode } from '../operations/currencies.ts';
import { write, type Operation } from '../operations/operation.ts';
import { changed } from '../operations/responses.ts';
import { complete } from './categories/actions.ts';
import { CategoryMerge, CategoryPath } from './categories/requests.ts';
import { Category } from './categories/schema.ts';
import { referencesTo } from './records.ts';
import { countDependents, type Dependents } from './remove.ts';
import { forced, refusedAsProved, refuseProvedAccount } from './transactions/proved-rows.ts';

const target = (description: string) => optional(someId(description));

const AccountMerge = object('AccountMerge', 'Which account to merge into: one of the two ids.', {
  into_id: target('Id of the manual account that is kept.'),
  into_plaid_id: target('Id of the synced account that is kept.'),
  add_balance: optional(
    flag(
      'Add the balance to that of the manual account that is kept, converted at the latest rate. ' +
        'Between an asset and a debt it is subtracted.',
      false,
    ),
  ),
});

const MergedAccount = object(
  'MergedAccount',
  'The account that is kept.',
  {
    manual_account_id: nullable(id('Its id if it is a manual account.')),
    plaid_account_id: nullable(id('Its id if it is a synced account.')),
    transactions: count('Number of moved transactions.'),
    balance: amount('Its balance in `currency`.'),
    currency: reference(Currency, 'Its currency.'),
  },
  {
    example: {
      manual_account_id: 3,
      plaid_account_id: null,
      transactions: 120,
      balance: '812.4000',
      currency: 'eur',
    },
  },
);

/** The operations that merge accounts. */
export const accountMergeRoutes: readonly Operation[] = [
  write(
    'POST',
    {
      id: 'mergeManualAccount',
      size: 'unbounded',
      path: '/coffer/manual_accounts/{id}/merge',
      tag: 'manual-accounts',
      params: idPath('manual account'),
      summary: 'Merge a manual account into another account',
      description:
        'Moves the transactions of the account to another manual account, or to a synced one, and deletes the ' +
        'account. They get the source `merge`. The account that is kept keeps its balance by default. ' +
        'If both accounts have a transaction with the same `external_id`, the response is 400 and lists each. ' +
        'Transactions on which a proved balance depends only move with `force`.',
      query: closed(forced),
      body: AccountMerge,
      bodyExamples: {
        manual: { summary: 'Into a manual account', value: { into_id: 3, add_balance: true } },
        synced: { summary: 'Into a synced account', value: { into_plaid_id: 8 } },
      },
      response: changed(MergedAccount, 'The account that is kept.'),
      refusals: { 409: refusedAsProved.account },
    },
    function* ({ bookId, params, query, body }, change) {
      const from = yield* recordOf(manualAccounts, 'manual account', bookId, params.id);
      if (query.force !== true) yield* refuseProvedAccount(bookId, from.id);
      const { balance, currency, ...kept } = yield* mergeAccount(change, from, body);
      return { ...kept, balance: formatAmount(balance), currency: currency as CurrencyCode };
    },
  ),
];

/** The operation that merges categories. */
export const categoryMergeRoutes: readonly Operation[] = [
  write(
    'POST',
    {
      id: 'mergeCategory',
      size: 'unbounded',
      path: '/coffer/categories/{id}/merge',
      tag: 'categories',
      params: CategoryPath,
      summary: 'Merge a category or a group into another one',
      description:
        'Gives everything that refers to the category to the category `into_id`, and deletes it. ' +
        'A group merges with a group only: its members move.',
      body: CategoryMerge,
      response: changed(Category, 'The category that is kept.'),
    },
    function* ({ bookId, params, body }, change) {
      const from = yield* recordOf(categories, 'category', bookId, params.id);
      yield* mergeCategory(change, from, body.into_id);
      return yield* complete(yield* recordOf(categories, 'category', bookId, body.into_id));
    },
  ),
];

/**
 * Makes everything that refers to a category refer to another one, and removes the first. A group merges with a group:
 * its members move.
 *
 * Returns the number of moved records by kind. Throws a Problem if the other one is the same, is missing, or if only
 * one of the two is a group.
 */
function* mergeCategory(
  change: Change,
  from: Row<typeof categories>,
  intoId: number,
): Steps<Dependents> {
  const into = yield* find(categories, { book_id: change.bookId, id: intoId });
  const reason = refusal(from, into);
  if (reason !== null)
    throw bodyProblem({
      errMsg: `Body property into_id ${reason}: ${intoId}`,
      instancePath: '/body/into_id',
      invalid_property: 'into_id',
      category_id: intoId,
    });
  const moved = yield* countDependents(from);
  for (const { move } of referencesTo('categories')) yield* move(change, from.id, intoId);
  yield* change.remove(categories, from);
  return moved;
}

/** Merges two categories or groups, as one change of the book: see {@link mergeCategory}. */
export function* mergeCategories(
  bookId: number,
  fromId: number,
  intoId: number,
): Steps<Dependents> {
  const cause = { bookId, actor: 'command', operation: 'category merge' };
  return yield* changing(cause, function* (change) {
    const from = yield* recordOf(categories, 'category', bookId, fromId);
    return yield* mergeCategory(change, from, intoId);
  });
}

function refusal(
  from: Row<typeof categories>,
  into: Row<typeof categories> | undefined,
): string | null {
  if (into === undefined) return 'is not a category of this book';
  if (into.id === from.id) return 'must be another category';
  if (into.is_group && !from.is_group) return 'must not be a category group';
  if (!into.is_group && from.is_group) return 'must be a category group, as the one to merge';
  return null;
}

/** Which account to merge into. Exactly one of the ids is sent. */
export interface MergeTarget {
  readonly into_id?: number;
  readonly into_plaid_id?: number;
  /** Adds the balance of the merged account to that of the manual account that is kept. */
  readonly add_balance?: boolean;
}

type PlaidAccount = Row<typeof plaidAccounts>;

/** The account that is kept, its balance in ten-thousandths of its currency, and how many transactions were moved. */
export interface MergedAccount extends AccountColumns {
  readonly balance: number;
  readonly currency: string;
  readonly transactions: number;
}

/**
 * Moves everything of a manual account to another account, and removes the first. The moved transactions get the source
 * `merge`. The account that is kept keeps its balance, unless the balance is to be added. Balances of months that both
 * accounts have stay as the history of a deleted account.
 *
 * Throws a Problem that lists everything that is wrong, such as each external id that both accounts have.
 */
export function* mergeAccount(
  change: Change,
  from: ManualAccount,
  target: MergeTarget,
): Steps<MergedAccount> {
  const { bookId } = change;
  const problems: ErrorDetail[] = [];
  const { manual, plaid } = yield* findTarget(from, target, problems);
  const balance =
    manual === null ? null : yield* newBalance(change, from, manual, target, problems);
  const account = manual ?? plaid;
  if (account === null || problems.length > 0) throw bodyProblem(...problems);
  const columns = { manual_account_id: manual?.id ?? null, plaid_account_id: plaid?.id ?? null };
  const ids = yield* idsOf(sql`
    SELECT id FROM transactions WHERE book_id = ${bookId} AND manual_account_id = ${from.id}`);
  yield* change.updateSet(transactions, ids, { ...columns, source: 'merge' });
  for (const { move } of referencesTo('manual_accounts')) yield* move(change, from.id, columns);
  const source = { kind: 'manual', id: from.id } as const;
  const into = { kind: manual === null ? 'plaid' : 'manual', id: account.id } as const;
  yield* moveHistory(change, source, into, { ...from, account_type: from.type });
  if (manual !== null && balance !== null) {
    yield* setBalance(change, manual, balance);
    yield* anchorBalance(change, manual.id);
  }
  yield* change.remove(manualAccounts, from);
  return {
    ...columns,
    transactions: ids.length,
    currency: account.currency,
    balance: balance ?? account.balance,
  };
}

/** Merges two accounts, as one change of the book: see {@link mergeAccount}. */
export function* mergeAccounts(
  bookId: number,
  fromId: number,
  target: MergeTarget,
): Steps<MergedAccount> {
  const cause = { bookId, actor: 'command', operation: 'account merge' };
  return yield* changing(cause, function* (change) {
    const from = yield* recordOf(manualAccounts, 'account', bookId, fromId);
    return yield* mergeAccount(change, from, target);
  });
}

/** Returns the synced accounts of a book by id. */
export function* listSyncedAccounts(bookId: number): Steps<PlaidAccount[]> {
  return yield* select(plaidAccounts, { book_id: bookId });
}

interface Target {
  readonly manual: ManualAccount | null;
  readonly plaid: PlaidAccount | null;
}

/** Finds the account to merge into, and adds what is wrong with it to the problems. */
function* findTarget(
  from: ManualAccount,
  target: MergeTarget,
  problems: ErrorDetail[],
): Steps<Target> {
  const { into_id: manualId, into_plaid_id: plaidId } = target;
  if ((manualId === undefined) === (plaidId === undefined)) {
    const errMsg = 'Body must have either into_id or into_plaid_id';
    problems.push({ errMsg, instancePath: '/body', invalid_property: 'into_id' });
  }
  const manual = manualId === undefined ? null : yield* manualTarget(from, manualId, problems);
  const plaid = plaidId === undefined ? null : yield* plaidTarget(from, plaidId, problems);
  if (plaidId !== undefined && target.add_balance === true) {
    const reason = 'must be false: the bank sends the balance of a synced account';
    problems.push(wrong('add_balance', true, reason));
  }
  return { manual, plaid };
}

function* manualTarget(
  from: ManualAccount,
  id: number,
  problems: ErrorDetail[],
): Steps<ManualAccount | null> {
  const into = yield* find(manualAccounts, { book_id: from.book_id, id });
  if (into === undefined)
    problems.push(wrong('into_id', id, 'is not a manual account of this book'));
  else if (id === from.id) problems.push(wrong('into_id', id, 'must be another account'));
  else problems.push(...(yield* externalIdClashes(from, id)));
  return into ?? null;
}

function* plaidTarget(
  { book_id }: ManualAccount,
  id: number,
  problems: ErrorDetail[],
): Steps<PlaidAccount | null> {
  const into = yield* find(plaidAccounts, { book_id, id });
  const name = 'into_plaid_id';
  if (into === undefined) problems.push(wrong(name, id, 'is not a synced account of this book'));
  else if (!into.allow_transaction_modifications)
    problems.push(wrong(name, id, 'is an account that allows no changes of its transactions'));
  return into ?? null;
}

/** The transactions of an account whose external id is that of a transaction of another one. */
function* externalIdClashes({ book_id, id }: ManualAccount, intoId: number): Steps<ErrorDetail[]> {
  const found = yield* rowsAs(
    { id: integer, external_id: text, existing_id: integer },
    sql`SELECT t.id, t.external_id, o.id AS existing_id FROM transactions t
      JOIN transactions o ON o.book_id = t.book_id AND o.external_id = t.external_id
      WHERE t.book_id = ${book_id} AND t.manual_account_id = ${id} AND o.book_id = ${book_id}
        AND o.manual_account_id = ${intoId} ORDER BY t.id`,
  );
  return found.map(({ id: transaction_id, external_id, existing_id }) => ({
    errMsg:
      `Transaction ${transaction_id} and transaction ${existing_id} of the other account ` +
      `have the external id '${external_id}'`,
    invalid_property: 'external_id',
    external_id,
    transaction_id,
    existing_transaction_id: existing_id,
  }));
}

/** Returns the balance of the kept account, with that of the other one on request: debts reduce assets. */
function* newBalance(
  change: Change,
  from: ManualAccount,
  into: ManualAccount,
  { add_balance: addsBalance = false }: MergeTarget,
  problems: ErrorDetail[],
): Steps<number> {
  if (!addsBalance) return into.balance;
  const rates = yield* ratesOf();
  const today = change.at.slice(0, 10);
  const added = yield* rates.convert(from.balance, from.currency, into.currency, today);
  const currencies = `from ${from.currency} to ${into.currency}`;
  if (added === null)
    problems.push(wrong('add_balance', true, `needs an exchange rate ${currencies}`));
  const isOpposite = liabilities.has(from.type) !== liabilities.has(into.type);
  const balance = BigInt(into.balance) + BigInt(isOpposite ? -(added ?? 0) : (added ?? 0));
  if (balance > BigInt(maxAmount) || balance < -BigInt(maxAmount))
    problems.push(
      wrong('add_balance', true, 'would make the balance larger than any amount can be'),
    );
  return Number(balance);
}

function wrong(property: string, value: number | boolean, reason: string): ErrorDetail {
  return {
    errMsg: `Body property ${property} ${reason}: ${value}`,
    instancePath: `/body/${property}`,
    invalid_property: property,
    [property]: value,
  };
}
