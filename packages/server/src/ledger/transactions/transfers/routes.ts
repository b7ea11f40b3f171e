import { dayOf } from '@coffer/core/dates';
import { now, type Steps } from '../../../db/engine.ts';
import { changed, created, noContent, ok } from '../../../operations/responses.ts';
import { read, write, type Operation } from '../../../operations/operation.ts';
import { listTransfers, transferOf, accountOf, countingIds, toWire, whyNoSide } from './pairs.ts';
import { makeCertain, suggestTransfers } from './search.ts';
import * as schema from './schema.ts';
import { formatAmount } from '@coffer/core/money';
import { quote } from '@coffer/core/text';
import type { Change } from '../../../book/change.ts';
import { find } from '../../../db/rows.ts';
import {
  manualAccounts,
  plaidAccounts,
  transactions,
  transfers,
} from '../../../db/tables/tables.ts';
import type { CurrencyCode } from '../../../operations/currencies.ts';
import { parseAmountInput } from '../../../operations/amounts.ts';
import { bodyProblem, type ErrorDetail } from '../../../operations/problem.ts';
import { recordOf } from '../../../operations/records.ts';
import { shownName } from '../../accounts/rules.ts';
import { recordsById } from '../references.ts';
import { RowProblems } from '../requests/checks.ts';
import { createTransactions } from '../requests/insert.ts';
import { pairsOf } from '../writes.ts';
import type { Transfer, TransferAccount, TransferInsert, TransferRowsInsert } from './schema.ts';

const all = { path: '/coffer/transfers', tag: 'transfers' } as const;
const one = {
  path: '/coffer/transfers/{id}',
  tag: 'transfers',
  params: schema.TransferPath,
} as const;

/** The operations of this folder. */
export const transferRoutes: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getAllTransfers',
      summary: 'List transfers',
      description:
        'Returns the transfers with a transaction in these days, or with one of these transactions. A pair whose ' +
        'transactions can no longer be a transfer, because one is split, grouped or in the same account, is left out.',
      size: ({ transaction_ids: ids }: schema.TransferQuery) =>
        ids === undefined ? 'unbounded' : 'bounded',
      query: schema.TransferQuery,
      response: ok(schema.TransferList, 'The transfers.'),
    },
    function* ({ bookId, query }) {
      return yield* listTransfers(bookId, query);
    },
  ),
  write(
    'POST',
    {
      ...all,
      id: 'createTransfer',
      summary: 'Make a transfer of two transactions',
      description:
        'The sums of `GET /coffer/sums` then leave both out. Amounts, days and currencies may differ. ' +
        'The transactions stay as they are.',
      body: schema.TransferInsert,
      response: created(schema.Transfer, 'The new transfer.'),
    },
    function* ({ body }, change) {
      return yield* createTransfer(change, body);
    },
  ),
  write(
    'POST',
    {
      ...all,
      path: '/coffer/transfers/rows',
      id: 'createTransferWithTransactions',
      summary: 'Make a transfer with both transactions',
      description:
        'Inserts a transaction in each account, moves the balances of manual accounts, and pairs the two.',
      body: schema.TransferRowsInsert,
      response: created(schema.Transfer, 'The new transfer.'),
    },
    function* ({ body }, change) {
      return yield* createTransferRows(change, body);
    },
  ),
  read(
    {
      ...all,
      path: '/coffer/transfers/suggestions',
      id: 'getTransferSuggestions',
      size: 'unbounded',
      summary: 'Suggest transfers',
      description:
        'Returns pairs of transactions in two accounts that may be transfers: the same amount within five days, or ' +
        'amounts that differ by a fee or a rate. Each transaction is in at most one. Without days they are those of ' +
        'the last three months.',
      query: schema.SuggestionsQuery,
      response: ok(schema.TransferSuggestions, 'The suggestions.'),
    },
    function* ({ bookId, query }) {
      return yield* suggestTransfers(bookId, query, (yield* now()).slice(0, 10));
    },
    // The default days end with the present one.
    { state: (_, nowMs) => dayOf(nowMs) },
  ),
  write(
    'POST',
    {
      ...all,
      path: '/coffer/transfers/find',
      id: 'findTransfers',
      size: 'unbounded',
      summary: 'Make all certain transfers',
      description:
        'Makes a transfer of each suggestion that is certain, as an import does for its rows. One change of the book.',
      body: schema.TransferSearch,
      response: changed(schema.FoundTransfers, 'The numbers.'),
    },
    function* ({ body }, change) {
      return yield* makeCertain(change, body);
    },
  ),
  read(
    {
      ...one,
      id: 'getTransferById',
      summary: 'Get a transfer',
      response: ok(schema.Transfer, 'The transfer.'),
    },
    function* ({ bookId, params }) {
      return yield* transferOf(bookId, params.id);
    },
  ),
  write(
    'DELETE',
    {
      ...one,
      id: 'deleteTransfer',
      summary: 'Break a transfer',
      description: 'Its two transactions stay, and count in sums again.',
      response: noContent('The transfer is deleted.'),
    },
    function* ({ params }, change) {
      yield* breakTransfer(change, params.id);
    },
  ),
];

/**
 * Makes a transfer of two transactions. A pair of one of them that no longer counts is replaced.
 *
 * Throws a Problem with all that is wrong: an unknown transaction, one that cannot be part of a transfer or is part of
 * another one, the wrong direction, or two of one account.
 */
function* createTransfer(change: Change, body: TransferInsert): Steps<Transfer> {
  const { bookId } = change;
  const ids = [body.sent_id, body.received_id];
  const rows = yield* recordsById(transactions, bookId, ids);
  const [sent, received] = ids.map((id) => rows.get(id));
  const problems: ErrorDetail[] = [];
  for (const [side, row] of [['sent', sent] as const, ['received', received] as const]) {
    const why = row === undefined ? 'does not exist' : whyNoSide(row, side);
    if (why !== null) problems.push(problemOf(body, side, why));
  }
  if (sent && received && accountOf(sent) !== null && accountOf(sent) === accountOf(received))
    problems.push(problemOf(body, 'received', `is in the same account as transaction ${sent.id}`));
  const old = yield* pairsOf(bookId, ids);
  const counting = yield* countingIds(bookId, ids);
  for (const { id, sent_id, received_id } of old.filter((pair) => counting.has(pair.id)))
    for (const side of ['sent', 'received'] as const)
      if ([sent_id, received_id].includes(body[`${side}_id`]))
        problems.push(problemOf(body, side, `is part of transfer ${id}: delete that first`));
  if (problems.length > 0) throw bodyProblem(...problems);
  yield* change.removeAll(transfers, old);
  const pair = yield* change.insert(transfers, { ...body, found_by: 'user' });
  return toWire(pair, sent!, received!);
}

function problemOf(body: TransferInsert, side: 'sent' | 'received', why: string): ErrorDetail {
  const property = `${side}_id` as const;
  return {
    errMsg: `Body property ${property}: transaction ${body[property]} ${why}`,
    instancePath: `/body/${property}`,
    invalid_property: property,
    [property]: body[property],
  };
}

/** Removes a pair, also one that does not count. Its transactions stay. Throws a 404. */
function* breakTransfer(change: Change, id: number): Steps<void> {
  yield* change.remove(transfers, yield* recordOf(transfers, 'transfer', change.bookId, id));
}

/**
 * Makes a transfer with its two transactions, which are reviewed, in the currencies of their accounts.
 *
 * Throws a Problem with all that is wrong.
 */
function* createTransferRows(change: Change, body: TransferRowsInsert): Steps<Transfer> {
  const problems = new RowProblems((index) => (index === 0 ? 'from_account' : 'to_account'));
  const from = yield* endOf(change.bookId, body.from_account, 'from_account', problems);
  const to = yield* endOf(change.bookId, body.to_account, 'to_account', problems);
  const sent = amountAbove0(body.amount, 'amount', problems);
  const isConverted = from !== null && to !== null && from.currency !== to.currency;
  if (isConverted && body.received_amount === undefined)
    problems.addWhole(
      `Body property received_amount is needed: ${quote(from.name)} is in ${from.currency} and ` +
        `${quote(to.name)} in ${to.currency}`,
      { instancePath: '/body/received_amount', invalid_property: 'received_amount' },
    );
  const received =
    body.received_amount === undefined
      ? sent
      : amountAbove0(body.received_amount, 'received_amount', problems);
  if (from !== null && to !== null && from.key === to.key)
    problems.addWhole(`Body property to_account is ${quote(to.name)}, as from_account is`, {
      instancePath: '/body/to_account',
      invalid_property: 'to_account',
    });
  if (from === null || to === null || sent === null || received === null) {
    problems.throwIfAny();
    throw new Error('An amount or an account of a transfer is missing without a problem');
  }
  const { date, received_date = date, payee, notes } = body;
  const shared = { ...(notes !== undefined && { notes }), status: 'reviewed' } as const;
  const rows = [
    {
      ...from.ids,
      date,
      amount: formatAmount(sent),
      currency: from.currency,
      payee: payee ?? to.name,
    },
    {
      ...to.ids,
      date: received_date,
      amount: formatAmount(-received),
      currency: to.currency,
      payee: payee ?? from.name,
    },
  ].map((row) => ({ ...row, ...shared }));
  const { ids } = yield* createTransactions(change, { transactions: rows }, problems);
  const made = yield* recordsById(transactions, change.bookId, ids);
  const [sent_id, received_id] = ids as [number, number];
  const pair = yield* change.insert(transfers, { sent_id, received_id, found_by: 'user' });
  return toWire(pair, made.get(sent_id)!, made.get(received_id)!);
}

/** An account of a new transfer. */
interface End {
  readonly key: string;
  readonly name: string;
  readonly currency: CurrencyCode;
  readonly ids: TransferAccount;
}

/** Returns an account of the request; null, with a problem, unless it names exactly one that exists. */
function* endOf(
  bookId: number,
  sent: TransferAccount,
  property: 'from_account' | 'to_account',
  problems: RowProblems,
): Steps<End | null> {
  const { manual_account_id: manual = null, plaid_account_id: plaid = null } = sent;
  const place = { instancePath: `/body/${property}`, invalid_property: property };
  if ((manual === null) === (plaid === null)) {
    const errMsg = `Body property ${property} must have one of manual_account_id and plaid_account_id`;
    problems.addWhole(errMsg, place);
    return null;
  }
  const account =
    manual === null
      ? yield* find(plaidAccounts, { book_id: bookId, id: plaid! })
      : yield* find(manualAccounts, { book_id: bookId, id: manual });
  const key = accountOf({ manual_account_id: manual, plaid_account_id: plaid })!;
  if (account !== undefined)
    return {
      key,
      name: shownName(account),
      currency: account.currency as CurrencyCode,
      ids: { manual_account_id: manual, plaid_account_id: plaid },
    };
  const errMsg = `Body property ${property}: there is no ${key.replace(' ', ' account ')}`;
  problems.addWhole(errMsg, { ...place, ...sent });
  return null;
}

function amountAbove0(
  sent: number | string,
  property: 'amount' | 'received_amount',
  problems: RowProblems,
): number | null {
  const amount = parseAmountInput(sent);
  if (amount !== null && amount > 0) return amount;
  const errMsg =
    amount === null
      ? `Body property ${property} is too large: ${quote(String(sent))}`
      : `Body property ${property} must be above 0, not ${quote(String(sent))}`;
  problems.addWhole(errMsg, {
    instancePath: `/body/${property}`,
    invalid_property: property,
    [property]: sent,
  });
  return null;
}
