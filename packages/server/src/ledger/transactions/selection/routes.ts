import type { Engine } from '../../../db/engine.ts';
import { withDerived } from '../../../db/follow-search.ts';
import { listSelection, selectedMonths } from '../../../pages/selection/selection.ts';
import { ok, okBytes } from '../../../operations/responses.ts';
import { read, withPerform } from '../../../operations/operation.ts';
import type { AnyRequest, Operation } from '../../../operations/operation.ts';
import { listEarlier, prepareEarlier } from '../earlier/earlier-list.ts';
import { versionAsOf } from '../earlier/version.ts';
import { pageBody } from '../routes.ts';
import {
  monthsToWire,
  payeesOf,
  sumsOf,
  monthsSelectionOf,
  refusePresentFilters,
  selectionOf,
} from './actions.ts';
import {
  MonthsQuery,
  PayeesQuery,
  SelectionQuery,
  SumsQuery,
  PayeeList,
  TransactionMonths,
  TransactionSelection,
  TransactionSums,
} from './schema.ts';

const tag = 'transactions';

const list = read(
  {
    id: 'getTransactionsAsOf',
    path: '/coffer/transactions',
    tag,
    summary: 'Search transactions, or list them as they were',
    description:
      'Returns a page of the transactions that pass every filter, with the number of all of them. ' +
      'Rows are those of `GET /v2/transactions`, and so are the filters that it has. ' +
      'With `as_of` it lists the transactions that the book had at a version or a time, with these filters only. ' +
      'Pages of a fixed version never change. ' +
      'A page takes longer the more was changed since. A version that the book does not have yet gets 400.',
    size: 'unbounded',
    query: SelectionQuery,
    response: okBytes(TransactionSelection, 'The page.'),
    refusals: { 410: 'Gone' },
  },
  function* ({ bookId, query, pageKeys }) {
    const { as_of, ...filters } = query;
    const selection = selectionOf(filters);
    if (as_of === undefined) {
      const { total, ...page } = yield* listSelection(bookId, selection, pageKeys);
      return withTotal(pageBody(page), total);
    }
    const version = yield* versionAsOf(bookId, as_of);
    return pageBody(yield* listEarlier(bookId, selection, version, pageKeys));
  },
  // An earlier version can be removed from the change log while the book stays the same.
  { isCached: ({ as_of }) => as_of === undefined },
);

/** Adds a key to the last piece of a body, before its closing brace. */
function withTotal(body: readonly Buffer[], total: number): Buffer[] {
  const tail = body.at(-1)!.toString();
  return [...body.slice(0, -1), Buffer.from(`${tail.slice(0, -1)},"total":${total}}`)];
}

/** A list of very long ago is read in two steps, because a read has a time limit. */
async function prepared(engine: Engine, request: AnyRequest): Promise<unknown> {
  const { bookId, pageKeys } = request;
  const sent = request.query as SelectionQuery;
  const { as_of, ...query } = sent;
  if (as_of !== undefined) {
    refusePresentFilters(sent);
    const version = await engine.read(() => versionAsOf(bookId, as_of));
    await prepareEarlier(engine, bookId, selectionOf(query), version, pageKeys);
  }
  return list.perform(engine, request);
}

/** Fills derived tables that lack a change before they are read. */
function onDerived(operation: Operation): Operation {
  return withPerform(operation, (engine, request) =>
    withDerived(engine, () => operation.perform(engine, request)),
  );
}

/** The operations that search and sum transactions. */
export const selectionRoutes: readonly Operation[] = [
  withPerform(list, prepared),
  read(
    {
      id: 'getTransactionMonths',
      path: '/coffer/transactions/months',
      tag,
      summary: 'Count and sum transactions by month',
      description:
        'Returns the number and the sum of the transactions that pass every filter, by month. ' +
        'The filters are those of `GET /coffer/transactions`.',
      size: 'unbounded',
      query: MonthsQuery,
      response: ok(TransactionMonths, 'The months.'),
    },
    function* ({ bookId, query, pageKeys }) {
      return monthsToWire(yield* selectedMonths(bookId, monthsSelectionOf(query), pageKeys));
    },
    { isCached: true },
  ),
  read(
    {
      id: 'getTransactionSums',
      path: '/coffer/sums',
      tag,
      summary: 'Sum transactions by day, month, category, account, payee or tag',
      description:
        'Sums the transactions that lists show by default: posted ones, the parts of a split transaction, and ' +
        'groups instead of their members; without transfers between own accounts. Without `counts_as`, categories that ' +
        'are excluded from totals, and income, are included.',
      size: 'unbounded',
      query: SumsQuery,
      response: ok(TransactionSums, 'The sums.'),
    },
    function* ({ bookId, query }) {
      return yield* sumsOf(bookId, query);
    },
    { isCached: true },
  ),
  read(
    {
      id: 'getPayees',
      path: '/coffer/payees',
      tag,
      summary: 'List payees',
      description:
        'Returns payees of transactions that lists show by default, for a field that completes what is typed: ' +
        'those that begin with it first, then the most used. At most 500 payees are compared: of a search, those ' +
        'that begin with it and the shortest; without one, those of the latest 5,000 transactions.',
      size: 'unbounded',
      query: PayeesQuery,
      response: ok(PayeeList, 'The payees.'),
    },
    function* ({ bookId, query }) {
      return yield* payeesOf(bookId, query);
    },
    { isCached: true },
  ),
].map(onDerived);
