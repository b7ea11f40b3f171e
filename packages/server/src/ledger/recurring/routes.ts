import { daysApart, instantOf } from '@coffer/core/dates';
import { now, type Steps } from '../../db/engine.ts';
import { notFound, Problem } from '../../operations/problem.ts';
import { changed, created, noContent, ok, refusedWith } from '../../operations/responses.ts';
import { DeleteQuery } from '../../operations/schema.ts';
import { read, write, type Operation, type ReadOptions } from '../../operations/operation.ts';
import {
  createRecurring,
  listRecurring,
  recurringOf,
  removeRecurring,
  updateRecurring,
} from './items.ts';
import { countLinked, matchesIn } from './links.ts';
import { detailsOf, monthOf, mostRangeDays, toWire } from './rules.ts';
import type { DateRange, RecurringRow } from './rules.ts';
import * as schema from './schema.ts';

const tag = 'recurring-items';
const one = { path: '/v2/recurring_items/{id}', tag, params: schema.RecurringItemPath } as const;
const all = { path: '/v2/recurring_items', tag } as const;
const ownOne = {
  ...one,
  path: '/coffer/recurring_items/{id}',
} as const;
const ownAll = { path: '/coffer/recurring_items', tag } as const;

/** Without dates, a response is about the current month. */
const byMonth: ReadOptions = { state: (_, nowMs) => instantOf(nowMs).slice(0, 7) };

const routes: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getAllRecurring',
      summary: 'List recurring items',
      description:
        'Returns the reviewed items of the book, with the expected and the linked transactions of a range of dates.',
      query: schema.RecurringItemListQuery,
      response: ok(schema.RecurringItemList, 'The recurring items.'),
    },
    function* ({ bookId, query }) {
      const range = yield* rangeOf(query);
      const items = (yield* listRecurring(bookId)).filter(
        ({ status }) =>
          status === 'reviewed' || (status === 'suggested' && query.include_suggested === true),
      );
      return { recurring_items: yield* withMatches(bookId, items, range) };
    },
    { isCached: true, ...byMonth },
  ),
  read(
    {
      ...one,
      id: 'getRecurringById',
      summary: 'Get a recurring item',
      description: 'Returns a reviewed or suggested item. A dismissed one returns 404.',
      query: schema.RecurringItemQuery,
      response: ok(schema.RecurringItem, 'The recurring item.'),
    },
    function* ({ bookId, params, query }) {
      const range = yield* rangeOf(query);
      const item = yield* recurringOf(bookId, params.id);
      if (item.status === 'dismissed') throw notFound('recurring item', params.id);
      return (yield* withMatches(bookId, [item], range))[0]!;
    },
    byMonth,
  ),
];

const ownRoutes: readonly Operation[] = [
  read(
    {
      ...ownAll,
      id: 'listRecurringItems',
      summary: 'List recurring items to edit',
      description: 'Returns all recurring items of the book: reviewed, suggested and dismissed.',
      response: ok(schema.RecurringItemDetailsList, 'The items.'),
    },
    function* ({ bookId }) {
      return { recurring_items: (yield* listRecurring(bookId)).map(detailsOf) };
    },
    { isCached: true, isOneStatement: true },
  ),
  write(
    'POST',
    {
      ...ownAll,
      id: 'createRecurringItem',
      size: 'unbounded',
      summary: 'Create a recurring item',
      description:
        'The item is reviewed. Transactions of the last two years that fit it are linked to it.',
      body: schema.RecurringItemInsert,
      response: created(schema.RecurringItemDetails, 'The new item.'),
    },
    function* ({ body, identity }, change) {
      return detailsOf(yield* createRecurring(change, identity.user.id, body));
    },
  ),
  write(
    'PUT',
    {
      ...ownOne,
      id: 'updateRecurringItem',
      size: 'unbounded',
      summary: 'Update a recurring item',
      description:
        'Linked transactions show the new values. `status` accepts or dismisses a suggestion; ' +
        'a dismissed item loses its links and is not suggested again.',
      body: schema.RecurringItemUpdate,
      bodyExamples: schema.recurringUpdates,
      response: changed(schema.RecurringItemDetails, 'The changed item.'),
    },
    function* ({ bookId, params, body }, change) {
      const before = yield* recurringOf(bookId, params.id);
      return detailsOf(yield* updateRecurring(change, before, body));
    },
  ),
  write(
    'DELETE',
    {
      ...ownOne,
      id: 'deleteRecurringItem',
      size: 'unbounded',
      summary: 'Delete a recurring item',
      description:
        'If transactions are linked to it, the response is 422. With `force=true` they show their own text again.',
      query: DeleteQuery,
      response: noContent('The item is deleted.'),
      refusals: {
        422: refusedWith(422, schema.RecurringItemDependents, 'Transactions are linked to it.'),
      },
    },
    function* ({ bookId, params, query, refuse }, change) {
      const item = yield* recurringOf(bookId, params.id);
      const linked = yield* countLinked(item);
      if (linked > 0 && !query.force)
        refuse(422, { recurring_item_id: item.id, dependents: { transactions: linked } });
      yield* removeRecurring(change, item);
    },
  ),
];

/** Returns the range of a query; by default the current month in UTC. Throws a Problem for half a range. */
function* rangeOf({ start_date, end_date }: schema.RangeQuery): Steps<DateRange> {
  if (start_date === undefined && end_date === undefined) return monthOf(yield* now());
  if (start_date === undefined) throw rangeProblem('start_date', 'is missing: send both or none');
  if (end_date === undefined) throw rangeProblem('end_date', 'is missing: send both or none');
  if (daysApart(start_date, end_date) > mostRangeDays)
    throw rangeProblem('end_date', `must be at most ten years after start_date, not "${end_date}"`);
  return { start_date, end_date };
}

function rangeProblem(name: string, text: string): Problem {
  const errMsg = `Query parameter ${name} ${text}`;
  return new Problem('validation', { details: [{ errMsg, instancePath: `/query/${name}` }] });
}

function* withMatches(bookId: number, items: readonly RecurringRow[], range: DateRange) {
  const matches = yield* matchesIn(bookId, items, range);
  return items.map((item, at) => toWire(item, matches[at]!));
}

/** The operations of this folder. */
export const recurringRoutes: readonly Operation[] = [...routes, ...ownRoutes];
