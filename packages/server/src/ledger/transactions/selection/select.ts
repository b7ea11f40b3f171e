import { searchWords } from '@coffer/core/fold';
import { parseAmount } from '@coffer/core/money';
import { quote } from '@coffer/core/text';
import { without } from '../../../pages/selection/query.ts';
import type { Selection } from '../../../pages/selection/query.ts';
import { Problem } from '../../../operations/problem.ts';
import type { ErrorDetail } from '../../../operations/problem.ts';
import { mostWords, presentFilters } from './schema.ts';
import type { MonthsQuery, SelectionQuery } from './schema.ts';

/**
 * Returns the selection that a request asks for.
 *
 * Throws a Problem with 400 that lists all conflicts between parameters.
 */
export function selectionOf(query: Sent): Selection {
  const { q = '', sort = '-date', ...others } = query;
  const lists = idFilters.map((name) => `${name}s` as const);
  const filters = without(others, [...lists, 'min_amount', 'max_amount']);
  const words = searchWords(q);
  const selection = { ...filters, words, sort, ...amountsOf(query), ...idLists(query) };
  refuse([
    ...problemsOfWords(q, words),
    ...problemsOfAmounts(query, selection),
    ...problemsOfLists(query),
  ]);
  return selection;
}

/** Returns the selection that a request for months asks for: the same filters without a page. */
export function monthsSelectionOf(query: MonthsQuery): Selection {
  const page = { include_metadata: false, include_children: false, include_files: false };
  return selectionOf({ ...query, ...page, limit: 1, offset: 0 });
}

/** Refuses filters that a list of an earlier state does not have. */
export function refusePresentFilters(query: SelectionQuery): void {
  refuse(
    Object.keys(query)
      .filter((name) => presentFilters.includes(name))
      .map((name) =>
        problem(
          name,
          `Query parameter ${name} cannot be sent together with as_of: it filters only the present`,
        ),
      ),
  );
}

function refuse(details: readonly ErrorDetail[]): void {
  if (details.length > 0) throw new Problem('validation', { details });
}

function problem(name: string, errMsg: string): ErrorDetail {
  return { errMsg, instancePath: `/query/${name}` };
}

/** The names of filters that are one id, and with an `s` several. */
const idFilters = ['category_id', 'tag_id', 'manual_account_id', 'plaid_account_id'] as const;

type IdLists = Partial<Record<`${(typeof idFilters)[number]}s`, readonly number[]>>;
type Sent = Omit<SelectionQuery, 'as_of'>;

function idLists(query: Sent): IdLists {
  const lists: Record<string, readonly number[]> = {};
  for (const name of idFilters) {
    const text = query[`${name}s`];
    if (text !== undefined) lists[`${name}s`] = [...new Set(text.split(',').map(Number))];
  }
  return lists;
}

type Amounts = Pick<Selection, 'min_amount' | 'max_amount'>;

/** Returns the amounts in ten-thousandths. Those that are too large become NaN, and are refused. */
function amountsOf({ min_amount: min, max_amount: max }: Sent): Amounts {
  return {
    ...(min !== undefined && { min_amount: parseAmount(min) ?? Number.NaN }),
    ...(max !== undefined && { max_amount: parseAmount(max) ?? Number.NaN }),
  };
}

function problemsOfAmounts(sent: Sent, { min_amount, max_amount }: Amounts): ErrorDetail[] {
  const tooLarge = Object.entries({ min_amount, max_amount }).flatMap(([name, value]) =>
    value === undefined || !Number.isNaN(value)
      ? []
      : [
          problem(
            name,
            `Query parameter ${name} must be at most 900719925474.0991, not ` +
              quote(sent[name as keyof Amounts] ?? ''),
          ),
        ],
  );
  if (tooLarge.length > 0 || !(min_amount! > max_amount!)) return tooLarge;
  return [
    problem(
      'min_amount',
      `Query parameter min_amount must not be larger than max_amount "${sent.max_amount}", not "${sent.min_amount}"`,
    ),
  ];
}

function problemsOfWords(q: string, words: readonly string[]): ErrorDetail[] {
  if (words.length <= mostWords) return [];
  const errMsg = `Query parameter q must have at most ${mostWords} different words, not ${words.length}: ${quote(q)}`;
  return [problem('q', errMsg)];
}

function problemsOfLists(query: Sent): ErrorDetail[] {
  const twice = idFilters
    .filter((name) => query[name] !== undefined && query[`${name}s`] !== undefined)
    .map((name) =>
      problem(`${name}s`, `Query parameter ${name}s cannot be sent together with ${name}`),
    );
  const { tag_ids = '' } = query;
  if (!tag_ids.includes(',') || !tag_ids.split(',').includes('0')) return twice;
  const errMsg = `Query parameter tag_ids cannot have 0 together with other ids: ${quote(tag_ids)}`;
  return [...twice, problem('tag_ids', errMsg)];
}
