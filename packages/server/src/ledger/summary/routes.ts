import { instantOf } from '@coffer/core/dates';
import { ok } from '../../operations/responses.ts';
import { cached, read } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import { summaryOf } from './actions.ts';
import { BudgetSummary, summaryExamples, SummaryQuery } from './schema.ts';

/** Returns the operation of the summary. */
export const summaryRoutes: readonly Operation[] = [
  read(
    {
      ...{ id: 'getBudgetSummary', path: '/v2/summary', tag: 'summary' },
      summary: 'Get a summary of activity and budgets',
      description:
        'Sums the transactions that lists show by default: posted ones, the parts of a split transaction, and ' +
        'groups instead of their members. Budgets are included if the range starts and ends with budget periods. ' +
        'All numbers are in the primary currency of the book, and money out is positive.',
      query: SummaryQuery,
      response: ok(BudgetSummary, 'The summary.', summaryExamples.summary),
    },
    function* ({ identity, query }) {
      return yield* summaryOf(identity.book, query);
    },
    // The rollover pool ends with the last period before today.
    { ...cached, state: (_identity, nowMs) => instantOf(nowMs).slice(0, 10) },
  ),
];
