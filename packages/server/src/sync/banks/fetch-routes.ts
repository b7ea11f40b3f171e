import type { Engine } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { plaidAccounts } from '../../db/tables/tables.ts';
import { noContent } from '../../operations/responses.ts';
import { Problem } from '../../operations/problem.ts';
import { closed, day, optional, someId } from '../../operations/schema.ts';
import { requestSync } from './actions.ts';
import { outside, type Operation } from '../../operations/operation.ts';

/** The query of POST /v2/plaid_accounts/fetch. */
export const FetchQuery = closed({
  start_date: optional(day('First day to fetch; needs `end_date`.')),
  end_date: optional(day('Last day to fetch, inclusive.')),
  id: optional(someId('Only this synced account; all accounts by default.')),
});

export const plaidFetchRoutes: readonly Operation[] = [
  outside(
    'POST',
    {
      id: 'triggerPlaidAccountFetch',
      path: '/v2/plaid_accounts/fetch',
      tag: 'plaid-accounts',
      summary: 'Fetch from banks',
      description:
        'Requests to read the accounts from their banks soon. Without dates, the days since the last reading are read. ' +
        '`last_fetch` and `last_import` of an account show the result. ' +
        'A second request within 60 seconds is refused with 425.',
      query: FetchQuery,
      response: noContent('The request is stored.', 202),
      refusals: { 425: 'TooEarly' },
    },
    async ({ bookId, query: { start_date: from, end_date: to, id } }, engine) => {
      if (!(await fetchSoon(engine, bookId, { from, to, id }))) throw new Problem('tooEarly');
    },
  ),
];

/** What to fetch: all days since the last reading, and all accounts, by default. */
interface Wanted {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly id?: number | undefined;
}

/** Requests to read accounts soon. Returns false when the last request was too short a time ago. */
export async function fetchSoon(
  engine: Engine,
  bookId: number,
  { from, to, id }: Wanted,
): Promise<boolean> {
  if ((from === undefined) !== (to === undefined))
    throw refused("Both 'start_date' and 'end_date' must be specified.", '/query/start_date');
  if (from !== undefined && to !== undefined && from > to)
    throw refused(`start_date ${from} is later than end_date ${to}`, '/query/start_date');
  const range = from === undefined || to === undefined ? null : { from, to };
  return await engine.write(function* () {
    if (id !== undefined && (yield* find(plaidAccounts, { book_id: bookId, id })) === undefined)
      throw refused(`There is no synced account with the id: ${id}.`, '/query/id');
    return yield* requestSync(bookId, { range, accountId: id ?? null });
  });
}

function refused(errMsg: string, instancePath: string): Problem {
  return new Problem('validation', { details: [{ errMsg, instancePath }] });
}
