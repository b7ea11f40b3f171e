import { formatAmount } from '@coffer/core/money';
import { quote } from '@coffer/core/text';
import type { Steps } from '../../db/engine.ts';
import { find, rowAs, rowsAs } from '../../db/rows.ts';
import { balanceAnchors } from '../../db/tables/tables.ts';
import { parseAmountInput } from '../../operations/amounts.ts';
import type { CurrencyCode } from '../../operations/currencies.ts';
import { read, write, type Operation } from '../../operations/operation.ts';
import { bodyProblem } from '../../operations/problem.ts';
import { recordOf } from '../../operations/records.ts';
import { changed, noContent, ok } from '../../operations/responses.ts';
import { accountWith, explanationsOf, historyAround, proofOf } from './account-proof.ts';
import type { AccountProof } from './account-proof.ts';
import { followAnchors } from './actions.ts';
import { columnsOf, forgetMoved, putAnchor, type AnchoredAccount } from './anchors.ts';
import { balancesOn, prove, summaryOf, type Stretch } from './proof.ts';
import { anchorToWire } from './record.ts';
import * as schema from './proof-schema.ts';
import sql from 'sql-template-tag';
import { integer, nullable, sortedText, text } from '../../db/table.ts';

const tag = 'manual-accounts';
const one = { tag, params: schema.AccountPath } as const;

/** Stretches that are explained: the last ones that are not proved. */
const mostExplained = 10;

/** The operations about balances that are known for a day. */
export const proofRoutes: readonly Operation[] = [
  read(
    {
      ...one,
      id: 'getAccountProof',
      path: '/coffer/accounts/{id}/proof',
      summary: 'Prove the balances of an account',
      description:
        'Compares the balances that are known for a day, from statements, users, banks and requests, with the ' +
        'transactions between them, and says on which day a balance is first wrong, by how much, and what would ' +
        'explain it. Debts are negative here, whatever the type of the account is.',
      query: schema.AccountKindQuery,
      response: ok(schema.AccountProof, 'The proof.'),
    },
    function* ({ bookId, params, query }) {
      const account = yield* accountWith(bookId, query.kind ?? 'manual', params.id);
      return yield* proofToWire(yield* proofOf(account));
    },
  ),
  read(
    {
      ...one,
      id: 'getAccountDays',
      path: '/coffer/accounts/{id}/days',
      summary: 'List the balances of an account by day',
      description:
        'The balance at the end of each day with transactions, by the balances that are known and the transactions ' +
        'between them. At most 1000 days are listed, from `start_date` on.',
      query: schema.DaysQuery,
      response: ok(schema.AccountDays, 'The days.'),
    },
    function* ({ bookId, params, query }) {
      const { kind = 'manual', start_date: start, end_date: end } = query;
      const account = yield* accountWith(bookId, kind, params.id);
      const { anchors, days: all } = yield* historyAround(account, start, end);
      const stretches = prove(anchors, all);
      const within = all.filter(({ date }) => date >= start && date <= end);
      const shown = within.slice(0, mostDays);
      const isLast = shown.length === within.length && shown.at(-1)?.date !== end;
      const days = [...shown, ...(isLast ? [{ date: end, rows: 0 }] : [])];
      const wanted = days.map(({ date }) => date);
      const balances = balancesOn(wanted, anchors, all, BigInt(account.balance));
      return {
        currency: account.currency as CurrencyCode,
        days: days.map(({ date, rows }, at) => {
          const balance = formatAmount(balances[at]!);
          return { date, rows, balance, state: stateOn(stretches, date) };
        }),
      };
    },
  ),
  write(
    'POST',
    {
      ...one,
      id: 'createBalanceAnchor',
      path: '/coffer/accounts/{id}/anchors',
      summary: 'Say what a manual account has on a day',
      description:
        'The balance of the account is then that balance and all transactions after it, unless a balance is known for ' +
        'a later day. A balance that a user has given for the day is replaced.',
      body: schema.AnchorInsert,
      response: changed(schema.BalanceAnchor, 'The balance.'),
    },
    function* ({ bookId, params, body }, change) {
      const account = yield* accountWith(bookId, 'manual', params.id);
      const { day } = body;
      const today = change.at.slice(0, 10);
      if (day > today)
        throw bodyProblem({
          errMsg: `Body property day must not be in the future: '${day}', but today is ${today} in UTC`,
          instancePath: '/body/day',
          invalid_property: 'day',
          day,
        });
      const balance = amountOf(body.balance);
      if (body.forget_moved === true) yield* forgetMoved(change, account, day);
      yield* putAnchor(change, account, { day, source: 'user', balance });
      yield* followAnchors(change, account.id);
      const own = { book_id: bookId, ...columnsOf(account), day, source: 'user' } as const;
      return anchorToWire((yield* find(balanceAnchors, own))!);
    },
  ),
  write(
    'DELETE',
    {
      tag,
      params: schema.AnchorPath,
      id: 'deleteBalanceAnchor',
      path: '/coffer/balance_anchors/{id}',
      summary: 'Forget a balance that is known for a day',
      description:
        'The balance of a manual account then follows from the one before. See `GET /coffer/accounts/{id}/proof`.',
      response: noContent('The balance is forgotten.'),
    },
    function* ({ bookId, params }, change) {
      const anchor = yield* recordOf(balanceAnchors, 'balance anchor', bookId, params.id);
      yield* change.remove(balanceAnchors, anchor);
      if (anchor.manual_account_id !== null) yield* followAnchors(change, anchor.manual_account_id);
    },
  ),
];

/** Days in one response. */
const mostDays = 1000;

function amountOf(sent: number | string): number {
  const balance = parseAmountInput(sent);
  if (balance !== null) return balance;
  throw bodyProblem({
    errMsg: `Body property balance is too large: ${quote(String(sent))}`,
    instancePath: '/body/balance',
    invalid_property: 'balance',
    balance: sent,
  });
}

function stateOn(stretches: readonly Stretch[], date: string): Stretch['state'] | null {
  return stretches.find(({ from, to }) => from.day < date && date <= to.day)?.state ?? null;
}

/** Returns a proof as in a response. */
export function* proofToWire({
  account,
  anchors,
  stretches,
}: AccountProof): Steps<schema.AccountProof> {
  const broken = stretches.find(({ state }) => state === 'broken');
  const byId = new Map(anchors.map((each) => [each.id, each]));
  const shown = stretches.slice(-schema.mostStretches).reverse();
  const explained = new Set(
    [...(broken ? [broken] : []), ...shown.filter(({ state }) => state !== 'proved')].slice(
      0,
      mostExplained,
    ),
  );
  const wire: schema.ProofStretch[] = [];
  for (const each of shown) {
    const isExplained = explained.has(each);
    const { from, to, rows, difference, state } = each;
    const days = { after: from.day, upTo: to.day, since: to.set_at };
    wire.push({
      state,
      from: anchorToWire(byId.get(from.id)!),
      to: anchorToWire(byId.get(to.id)!),
      rows,
      difference: formatAmount(difference),
      explanations: isExplained ? toWire(yield* explanationsOf(account, each)) : [],
      write: isExplained ? yield* lastWrite(account, days) : null,
    });
  }
  const { state, ...summary } = summaryOf(stretches);
  return {
    state,
    currency: account.currency as CurrencyCode,
    ...summary,
    anchors: anchors.length,
    stretches: wire,
  };
}

function toWire(all: readonly { kind: string; ids: readonly number[] }[]) {
  return all.map(({ kind, ids }) => ({
    kind: kind as schema.ProofStretch['explanations'][number]['kind'],
    transaction_ids: [...ids],
  }));
}

/** A change of a book, for a sentence. */
export interface LastWrite {
  readonly version: number;
  readonly at: string;
  readonly actor: string;
  readonly operation: string;
}

/** Lines of the log that are looked through for transactions that left an account or its days. */
const mostLines = 200;
/** Versions that are looked through. */
const mostVersions = 10_000;

const writeShape = { version: integer, at: sortedText, actor: text, operation: text };

/**
 * Returns the last change of the transactions of an account in a range of days: of those that are in it, and of those
 * that a recent change has removed from it, or moved to other days or another account.
 */
function* lastWrite(
  account: AnchoredAccount,
  days: { readonly after: string; readonly upTo: string; readonly since: string },
): Steps<LastWrite | null> {
  const present = yield* lastOfPresent(account, days);
  const gone = yield* lastOfGone(account, days);
  const version = Math.max(present ?? 0, gone ?? 0);
  const { bookId } = account;
  const found = yield* rowAs(
    writeShape,
    sql`SELECT version, at, actor, operation FROM changes WHERE book_id = ${bookId} AND version = ${version}`,
  );
  return found ?? null;
}

function accountColumn({ kind }: AnchoredAccount): 'manual_account_id' | 'plaid_account_id' {
  return kind === 'manual' ? 'manual_account_id' : 'plaid_account_id';
}

function* lastOfPresent(
  account: AnchoredAccount,
  { after, upTo }: { readonly after: string; readonly upTo: string },
): Steps<number | null> {
  const { bookId, id } = account;
  const column =
    accountColumn(account) === 'manual_account_id' ? sql`manual_account_id` : sql`plaid_account_id`;
  const found = yield* rowAs(
    { version: nullable(integer) },
    sql`SELECT max(version) AS version FROM changes WHERE book_id = ${bookId} AND at = (
      SELECT max(updated_at) FROM transactions
      WHERE book_id = ${bookId} AND ${column} = ${id} AND date > ${after} AND date <= ${upTo})`,
  );
  return found?.version ?? null;
}

function* lastOfGone(
  account: AnchoredAccount,
  { after, upTo, since }: { readonly after: string; readonly upTo: string; readonly since: string },
): Steps<number | null> {
  const { bookId, id } = account;
  const lines = yield* rowsAs(
    { version: integer, kind: text, first_id: integer, diff: nullable(text) },
    sql`SELECT version, kind, first_id, diff FROM changed_records
      WHERE book_id = ${bookId} AND version > (
          SELECT greatest_version.version FROM (SELECT max(version) AS version FROM (
            SELECT max(version) AS version FROM changes WHERE book_id = ${bookId} AND at <= ${since}
            UNION ALL SELECT version - ${mostVersions} FROM books WHERE id = ${bookId}) starts) greatest_version)
        AND record = 'transactions' AND (kind = 'removed' OR kind = 'changed' AND
          (diff LIKE '%"date":[%' OR diff LIKE '%account_id":[%'))
      ORDER BY version DESC, place LIMIT ${mostLines}`,
  );
  for (const { version, kind, first_id: row, diff } of lines) {
    const values = JSON.parse(diff ?? '{}') as Record<string, unknown>;
    const before = (name: string): unknown =>
      kind === 'removed' ? values[name] : (values[name] as [unknown, unknown] | undefined)?.[0];
    const now = kind === 'removed' ? undefined : yield* rowOf(bookId, row);
    const date = before('date') ?? now?.date;
    const own = before(accountColumn(account)) ?? now?.[accountColumn(account)];
    if (own === id && typeof date === 'string' && date > after && date <= upTo) return version;
  }
  return null;
}

function* rowOf(bookId: number, id: number) {
  return yield* rowAs(
    {
      date: text,
      manual_account_id: nullable(integer),
      plaid_account_id: nullable(integer),
    },
    sql`SELECT date, manual_account_id, plaid_account_id FROM transactions
      WHERE book_id = ${bookId} AND id = ${id}`,
  );
}
