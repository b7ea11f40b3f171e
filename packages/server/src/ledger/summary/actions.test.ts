import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isPeriodStart, periodOf, type PeriodSettings } from '@coffer/core/budget-periods';
import { addDays, dayNumber } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { runs } from '../../../../core/src/testing/length.ts';
import type { Change } from '../../book/change.ts';
import { run, type Steps } from '../../db/engine.ts';
import { budgets, budgetSettings, categories } from '../../db/tables/tables.ts';
import { onEnginesAt } from '../../http/testing/engine-book.ts';
import { BulkRows } from '../transactions/writes.ts';
import { summaryOf } from './routes.ts';
import type { SummaryQuery } from './schema.ts';

/** A generated book: categories are places from 1, 0 is none, and days count from {@link firstDate}. */
type ModelBook = typeof bookArbitrary extends fc.Arbitrary<infer B> ? B : never;
type ModelTransaction = ModelBook['transactions'][number];

const firstDate = '2024-01-01';
const days = 100;
const largest = Number.MAX_SAFE_INTEGER;

const dateAt = (day: number): string => addDays(firstDate, day);

const day = fc.nat(days);
const amount = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: -2_000_000, max: 2_000_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(largest, -largest, 1, -1, 0) },
);

/** The first category is a group, and some of the others are its members. */
const bookArbitrary = fc.record({
  settings: fc.record({
    granularity: fc.constantFrom('day', 'week', 'month', 'twice a month'),
    quantity: fc.integer({ min: 1, max: 3 }),
    anchor_date: day.map(dateAt),
    use_last_day_of_month: fc.boolean(),
  }),
  categories: fc
    .array(
      fc.record({
        group: fc.constant(false),
        isMember: fc.boolean(),
        is_income: fc.boolean(),
        exclude_from_budget: fc.nat(4).map((value) => value === 0),
        exclude_from_totals: fc.nat(4).map((value) => value === 0),
      }),
      { minLength: 1, maxLength: 4 },
    )
    .map((all) => [{ ...all[0]!, group: true, isMember: false }, ...all]),
  transactions: fc.array(
    fc.record({
      day,
      category: fc.nat(4),
      toBase: amount,
      isRecurring: fc.boolean(),
      kind: fc.constantFrom('plain', 'plain', 'pending', 'split', 'member', 'part', 'group'),
    }),
    { maxLength: 40 },
  ),
  budgets: fc.uniqueArray(
    fc.record({ day, category: fc.integer({ min: 1, max: 5 }), toBase: amount }),
    { maxLength: 30, selector: (each) => `${each.day} ${each.category}` },
  ),
});

function queryArbitrary({ settings }: ModelBook): fc.Arbitrary<SummaryQuery> {
  return fc
    .record({
      first: day,
      length: fc.nat(days),
      isAligned: fc.boolean(),
      include_exclude_from_budgets: fc.boolean(),
      include_occurrences: fc.boolean(),
      include_past_budget_dates: fc.boolean(),
      include_totals: fc.boolean(),
    })
    .map(({ first, length, isAligned, ...flags }) => {
      const [start, end] = [dateAt(first), dateAt(first + length)];
      return {
        ...flags,
        start_date: isAligned ? periodOf(settings, start).start : start,
        end_date: isAligned ? periodOf(settings, end).end : end,
        include_rollover_pool: false,
      };
    });
}

/** The category of a transaction or a budget: a place that the book does not have is the last one. */
const placeOf = (book: ModelBook, place: number): number => Math.min(place, book.categories.length);

/** Writes a generated book. Returns the id of each category, by its place from 1. */
function* writeBook(change: Change, book: ModelBook): Steps<(number | null)[]> {
  const ids: (number | null)[] = [null];
  for (const [index, { group, isMember, ...flags }] of book.categories.entries()) {
    const name = `Category ${index}`;
    const group_id = isMember ? ids[1]! : null;
    const values = { name, is_group: group, group_id, sort_order: index, ...flags };
    ids.push((yield* change.insert(categories, values)).id);
  }
  const rows = new BulkRows(change);
  for (const { day, category, toBase, isRecurring, kind } of book.transactions)
    rows.add({
      id: yield* rows.nextId(),
      date: dateAt(day),
      amount: toBase,
      to_base: toBase,
      currency: 'usd',
      payee: 'x',
      status: 'unreviewed',
      category_id: ids[placeOf(book, category)] ?? null,
      recurring_id: isRecurring ? 1 : null,
      is_pending: kind === 'pending',
      is_split_parent: kind === 'split',
      is_group_parent: kind === 'group',
      group_parent_id: kind === 'member' ? 1 : null,
      split_parent_id: kind === 'part' ? 1 : null,
    });
  yield* rows.flush();
  for (const { category, day, toBase } of uniqueBudgets(book))
    yield* change.insert(budgets, {
      category_id: ids[category]!,
      start_date: dateAt(day),
      amount: toBase,
      to_base: toBase,
      currency: 'usd',
      notes: null,
    });
  const preferences = { hide_no_activity: false, rollover_left_to_budget: false };
  yield* change.insert(budgetSettings, {
    number: 1,
    income_option: 'max',
    ...preferences,
    ...book.settings,
  });
  return ids;
}

function uniqueBudgets(book: ModelBook) {
  const all = book.budgets.map((each) => ({ ...each, category: placeOf(book, each.category) }));
  return [...new Map(all.map((each) => [`${each.day} ${each.category}`, each])).values()];
}

/** The expected summary. Numbers are text, because sums may exceed what a number can hold. */
function expectedSummary(book: ModelBook, ids: readonly unknown[], query: SummaryQuery): unknown {
  const { start_date: start, end_date: end } = query;
  const periods = periodsAround(book.settings);
  const inRange = periods.filter((each) => start <= each.start && each.end <= end);
  const past = periods.filter((each) => each.start < start).slice(-3);
  const shownPast = query.include_past_budget_dates ? past : [];
  const isAligned =
    periods.some((each) => each.start === start) && periods.some((each) => each.end === end);
  const isShown = (place: number): boolean =>
    query.include_exclude_from_budgets || !book.categories[place - 1]!.exclude_from_budget;
  const shown = book.categories.map((_, index) => index + 1).filter(isShown);
  // A list has each group before its members.
  const rank = (place: number): number => (isMember(book, place) ? place / 10 : place - 1);
  return {
    aligned: isAligned,
    categories: shown
      .toSorted((a, b) => rank(a) - rank(b))
      .map((place) => {
        const activity = activityOf(book, place, start, end);
        const found = inRange.flatMap(({ start }) => budgetOf(book, place, start) ?? []);
        return {
          category_id: String(ids[place]),
          totals: {
            ...activity.wire,
            ...(isAligned && budgetedOf(book, place, found, activity.total)),
            ...nothingExpected,
          },
          ...(query.include_occurrences && {
            occurrences: [...shownPast, ...inRange].map((period) => ({
              in_range: period.start >= start,
              start_date: period.start,
              end_date: period.end,
              ...activityOf(book, place, period.start, period.end).wire,
              ...occurrenceBudget(budgetOf(book, place, period.start)),
            })),
          }),
        };
      }),
    ...(query.include_totals && {
      totals: { inflow: sideOf(book, true, query), outflow: sideOf(book, false, query) },
    }),
  };
}

const nothingExpected = { recurring_remaining: '0.0000', recurring_expected: '0.0000' };

function isMember(book: ModelBook, place: number): boolean {
  return book.categories[place - 1]!.isMember;
}

/** The periods from before the first day to after the last one, found by looking at every day. */
function periodsAround(settings: PeriodSettings): { start: string; end: string }[] {
  const from = dayNumber(firstDate) - 400;
  const starts = Array.from({ length: 750 }, (_, at) => addDays('1970-01-01', from + at)).filter(
    (date) => isPeriodStart(settings, date),
  );
  return starts.slice(0, -1).map((start, at) => ({ start, end: addDays(starts[at + 1]!, -1) }));
}

function budgetOf(book: ModelBook, place: number, start: string): bigint | null {
  const found = uniqueBudgets(book).find(
    ({ category, day }) => category === place && dateAt(day) === start,
  );
  return found === undefined ? null : BigInt(found.toBase);
}

function counted(book: ModelBook, from: string, to: string): ModelTransaction[] {
  return book.transactions
    .filter(({ kind }) => !['pending', 'split', 'member'].includes(kind))
    .filter(({ day }) => from <= dateAt(day) && dateAt(day) <= to)
    .map((each) => ({ ...each, category: placeOf(book, each.category) }));
}

function sum(rows: readonly ModelTransaction[], isRecurring: boolean): bigint {
  const some = rows.filter((each) => each.isRecurring === isRecurring);
  return some.reduce((total, { toBase }) => total + BigInt(toBase), 0n);
}

function activityOf(book: ModelBook, place: number, from: string, to: string) {
  const isOwn = (category: number): boolean =>
    category === place || (place === 1 && category > 0 && isMember(book, category));
  const rows = counted(book, from, to).filter(({ category }) => isOwn(category));
  const [other, recurring] = [sum(rows, false), sum(rows, true)];
  const wire = { other_activity: formatAmount(other), recurring_activity: formatAmount(recurring) };
  return { wire, total: other + recurring };
}

function budgetedOf(book: ModelBook, place: number, found: bigint[], activity: bigint) {
  if (found.length === 0) return { budgeted: null, available: null };
  const budgeted = found.reduce((a, b) => a + b);
  const available = budgeted + (book.categories[place - 1]!.is_income ? activity : -activity);
  return { budgeted: formatAmount(budgeted), available: formatAmount(available) };
}

function occurrenceBudget(amount: bigint | null) {
  const text = amount === null ? null : formatAmount(amount);
  const budgeted_currency = amount === null ? null : 'usd';
  return { budgeted: text, budgeted_amount: text, budgeted_currency, notes: null };
}

function sideOf(book: ModelBook, isInflow: boolean, query: SummaryQuery) {
  const rows = counted(book, query.start_date, query.end_date);
  const none = rows.filter(({ category, toBase }) => category === 0 && toBase < 0 === isInflow);
  const some = rows.filter(({ category }) => {
    const found = book.categories[category - 1];
    return found !== undefined && !found.exclude_from_totals && found.is_income === isInflow;
  });
  return {
    other_activity: formatAmount(sum(some, false)),
    recurring_activity: formatAmount(sum(some, true)),
    ...nothingExpected,
    uncategorized: formatAmount(sum(none, false)),
    uncategorized_count: String(none.length),
    uncategorized_recurring: formatAmount(sum(none, true)),
  };
}

/** Parses JSON with every number as the text that was sent. */
function parseExactly(json: string): unknown {
  return JSON.parse(json, (_key, value: unknown, context: { source?: string } = {}) =>
    typeof value === 'number' ? context.source : value,
  );
}

const now = () => Date.parse('2024-06-15T12:00:00.000Z');
const cases = bookArbitrary.chain((model) =>
  fc.record({
    model: fc.constant(model),
    queries: fc.array(queryArbitrary(model), { minLength: 1, maxLength: 4 }),
  }),
);

onEnginesAt('summaries', now, (open, engineName) => {
  it('are what a model of the book expects, to the last decimal, and nothing is left after an undo', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ model, queries }) => {
        const book = await open();
        const ids = await book.change((change) => writeBook(change, model));
        const summary = async (query: SummaryQuery) =>
          parseExactly(JSON.stringify(await book.read(() => summaryOf(book.book, query))));
        for (const query of queries)
          assert.deepEqual(await summary(query), expectedSummary(model, ids, query));
        // An older node changed the book, and did not keep the sums.
        await book.engine.write(function* () {
          yield* run(
            sql`UPDATE books SET activity_version = version - 1 WHERE id = ${book.book.id}`,
          );
          yield* run(sql`UPDATE activity_sums SET low = low + 1 WHERE book_id = ${book.book.id}`);
        });
        for (const query of queries)
          assert.deepEqual(await summary(query), expectedSummary(model, ids, query));
        await book.undoLast();
        const whole = { ...queries[0]!, include_exclude_from_budgets: true };
        const left = (await summary(whole)) as { categories: unknown[] };
        assert.deepEqual(left.categories, []);
      }),
      { numRuns: runs(engineName === 'SQLite' ? 30 : 10) },
    );
  });
});
