import { withDerived } from '../../../db/follow-search.ts';
import { read, withPerform, write, type Operation } from '../../../operations/operation.ts';
import { changed, refusedWithErrors } from '../../../operations/responses.ts';
import { provedSelection } from '../proved-rows.ts';
import { changeBulk, previewBulk } from './actions.ts';
import { bookChanged, BulkChange, bulkExamples, BulkOutcome, BulkQuery } from './schema.ts';

const shared = {
  tag: 'transactions',
  size: 'unbounded',
  query: BulkQuery,
  body: BulkChange,
  bodyExamples: bulkExamples,
  response: changed(BulkOutcome, 'The numbers.'),
  refusals: {
    409: refusedWithErrors(
      409,
      'The book has another `version` than that of the body; or `force` is not sent, and a proved balance depends on ' +
        'transactions that are to be deleted, or to get another date, amount or account, of which the first 100 are named.',
      {
        proved: provedSelection,
        changed: bookChanged,
      },
    ),
  },
} as const;

/** The operations that change or delete all transactions that a filter selects. */
export const bulkRoutes: readonly Operation[] = [
  read(
    {
      ...shared,
      id: 'previewBulkChange',
      path: '/coffer/transactions/bulk/preview',
      summary: 'Preview a change of all matching transactions',
      description:
        'Returns how many transactions the change would change or delete, and how many it would leave out. ' +
        'Changes nothing.',
    },
    function* ({ bookId, query, body, pageKeys }) {
      return yield* previewBulk(bookId, query, body, pageKeys);
    },
    { method: 'POST' },
  ),
  write(
    'POST',
    {
      ...shared,
      id: 'changeTransactionsInBulk',
      path: '/coffer/transactions/bulk',
      summary: 'Change or delete all matching transactions',
      description:
        'Sets values of all transactions that pass the filters, or deletes them: one change of the book, which can be ' +
        'undone. The filters are those of `GET /coffer/transactions`; `sort`, `offset` and `limit` select places of ' +
        'that list. Preview it first, and send its `version`. Parts of splits and groups are changed, too, but not ' +
        'deleted. A new date, amount or account has the effect that it has in `PUT /coffer/transactions`: splits, ' +
        'groups and the balances of accounts follow.',
    },
    function* ({ query, body, pageKeys }, change) {
      return yield* changeBulk(change, query, body, pageKeys);
    },
  ),
].map((operation) =>
  withPerform(operation, (engine, request) =>
    withDerived(engine, () => operation.perform(engine, request)),
  ),
);
