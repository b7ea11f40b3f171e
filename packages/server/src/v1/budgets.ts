import { Type, type Static } from 'typebox';
import {
  amount,
  closed,
  flag,
  id,
  listOf,
  nullable,
  number,
  object,
  optional,
  text,
  wireNumber,
} from '../operations/schema.ts';
import { bare, givenOrNull, openObject, True, formsV1, refuseAny, shownAs } from './refusals.ts';
import { Category, flags } from '../ledger/categories/schema.ts';
import { Budget, BudgetKey, type BudgetUpsert } from '../ledger/budgets/schema.ts';
import { expectedOccurrences } from '../ledger/recurring/links.ts';
import { activitySums, type ActivitySum } from '../ledger/summary/sums.ts';
import { sizeOfRange } from '../ledger/summary/routes.ts';
import { defaultSettings, budgetsBetween, settingsOf } from '../ledger/budgets/actions.ts';
import type { BudgetRow } from '../ledger/budgets/actions.ts';
import { read, write, type Operation } from '../operations/operation.ts';
import { isCalendarDate } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import { shorten } from '@coffer/core/text';
import type { Change } from '../book/change.ts';
import type { Steps } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import { given } from '../db/table.ts';
import { budgets, categories } from '../db/tables/tables.ts';
import { roundedAmount } from '../operations/amounts.ts';
import { isCurrencyCode } from '../operations/currencies.ts';
import { changed, ok } from '../operations/responses.ts';
import { primaryCurrencyOf } from '../ledger/currencies/actions.ts';
import { periodAfter, periodOf } from '@coffer/core/budget-periods';
import type { Period, PeriodSettings } from '@coffer/core/budget-periods';
import { listCategories } from '../ledger/categories/actions.ts';
import { shownPayee, type RecurringRow } from '../ledger/recurring/rules.ts';
import * as actions from '../ledger/budgets/actions.ts';

const currency = text('Code of the currency.');
const month = closed(
  {
    num_transactions: optional(Type.Integer({ description: 'Number of transactions.' })),
    spending_to_base: optional(number('Their sum in the primary currency; money out is positive.')),
    budget_to_base: optional(number('In the primary currency.')),
    budget_amount: optional(number('In `budget_currency`.')),
    budget_currency: optional(currency),
  },
  'Keys of a budget are absent without one.',
);
type MonthV1 = Static<typeof month>;

const recurringItem = closed({
  payee: text('Payee of the item.'),
  amount: amount('Expected amount in `currency`.'),
  currency,
  to_base: number('The amount in the primary currency.'),
});

const BudgetRowV1 = object(
  'BudgetRowV1',
  'Activity and budgets of a category by month.',
  {
    category_name: text('Name of the category; `Uncategorized`.'),
    category_id: nullable(Budget.properties.category_id),
    category_group_name: optional(nullable(text('Name of its group; absent if uncategorized.'))),
    group_id: Category.properties.group_id,
    is_group: nullable(flag('True for groups.')),
    ...flags,
    order: Type.Integer({ description: 'Position; excluded categories leave gaps.' }),
    archived: Category.properties.archived,
    data: Type.Unsafe<Record<string, MonthV1>>({
      type: 'object',
      additionalProperties: month,
      description:
        'By first days of months: the first month, and others with activity or a budget.',
    }),
    config: Type.Null({ description: 'Always null.' }),
    recurring: optional(closed({ list: Type.Array(recurringItem) }, 'Expected items.')),
  },
  {
    example: {
      category_name: 'Bread',
      category_id: 12,
      category_group_name: 'Food',
      group_id: 10,
      is_group: null,
      is_income: false,
      exclude_from_budget: false,
      exclude_from_totals: false,
      order: 1,
      archived: false,
      config: null,
      data: {
        '2026-03-01': {
          num_transactions: 2,
          spending_to_base: 86.4,
          budget_to_base: 120,
          budget_amount: 120,
          budget_currency: 'eur',
        },
      },
    },
  },
);
type BudgetRowV1 = Static<typeof BudgetRowV1>;

const BudgetListV1 = bare(
  'BudgetListV1',
  listOf(BudgetRowV1, 'Sorted by `order`; two rows are for transactions without a category.'),
);

const { category_id } = BudgetKey.properties;
const start = text('First day of a month: YYYY-MM-01.');

const BudgetUpsertV1 = openObject(
  'BudgetUpsertV1',
  'A budget to set.',
  {
    start_date: start,
    category_id,
    amount: Type.Unsafe<number | string>({
      type: ['number', 'string'],
      description: 'Further decimals than four are rounded.',
    }),
    currency: givenOrNull(text('Code of the currency; by default the primary currency.')),
  },
  { start_date: '2026-03-01', category_id: 12, amount: 120 },
);

const group = closed(
  { category_id: id('Id of the group.'), amount: number('Amount.'), currency, start_date: start },
  'The budget of the group, which is at least that of its members.',
);
const GroupBudgetV1 = object(
  'GroupBudgetV1',
  'A budget was set.',
  {
    category_group: Type.Union([group, Type.Null()], { description: 'Null without a group.' }),
  },
  {
    example: {
      category_group: { start_date: '2026-03-01', category_id: 10, amount: 120, currency: 'eur' },
    },
  },
);

const BudgetKeyV1 = Type.Object({ start_date: start, category_id });
const BudgetListQueryV1 = Type.Object({
  start_date: text('A day of the first month.'),
  end_date: text('A day of the last month.'),
});

const form = formsV1.categories;
const all = { path: '/v1/budgets', tag: 'budgets', v1: form } as const;
const tooSmall = 'Budget must be greater than or equal to the sum of sub-category budgets';
const startText = 'start_date must be a valid date in format YYYY-MM-01';

export const budgetRoutesV1: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getBudgetsV1',
      size: sizeOfRange,
      summary: 'List activity and budgets by month',
      description:
        'Returns all categories that budgets do not omit. Budgets for other periods than months are not shown.',
      query: BudgetListQueryV1,
      response: ok(BudgetListV1, 'The categories.'),
    },
    function* ({ bookId, query: { start_date: start, end_date: end } }) {
      refuseAny(form, [
        ...(isCalendarDate(start) ? [] : [startText]),
        ...(isCalendarDate(end) ? [] : ['end_date must be a valid date in format YYYY-MM-DD']),
      ]);
      const months = monthsOf(start, end);
      refuseAny(
        form,
        months.length > mostMonths ? [`At most ${mostMonths} months can be requested`] : [],
      );
      return yield* budgetRows(bookId, months);
    },
    { isCached: true },
  ),
  write(
    'PUT',
    {
      ...all,
      id: 'upsertBudgetV1',
      summary: 'Set a budget',
      description:
        'The budget of a group grows to the sum of its members, and cannot be set to less.',
      body: BudgetUpsertV1,
      response: changed(GroupBudgetV1, 'The budget of the group.'),
    },
    function* ({ bookId, body }, change) {
      const { start_date, category_id } = body;
      const amount = roundedAmount(String(body.amount));
      const currency = body.currency?.toLowerCase();
      const isKnown = currency === undefined || isCurrencyCode(currency);
      refuseAny(form, [
        ...(yield* keyProblems(bookId, body)),
        ...(amount === null ? [`amount is not valid: ${shorten(String(body.amount))}`] : []),
        ...(isKnown ? [] : [`currency is not supported: ${shorten(currency)}`]),
      ]);
      const budget = given({ start_date, category_id, amount: formatAmount(amount!), currency });
      const row = yield* actions.upsertBudget(change, budget as BudgetUpsert);
      return { category_group: yield* groupBudget(change, row) };
    },
  ),
  write(
    'DELETE',
    {
      ...all,
      id: 'deleteBudgetV1',
      summary: 'Delete a budget',
      description: 'A category without a budget for the month is no error.',
      query: BudgetKeyV1,
      response: changed(True, 'There is no budget.'),
    },
    function* ({ bookId, query: { start_date, category_id } }, change) {
      refuseAny(form, yield* keyProblems(bookId, { start_date, category_id }));
      yield* actions.deleteBudget(change, { start_date, category_id });
      return true as const;
    },
  ),
];

function* keyProblems(bookId: number, { start_date, category_id }: BudgetKey): Steps<string[]> {
  const isStart = isCalendarDate(start_date) && start_date.endsWith('-01');
  const isPeriod = !isStart || isMonth(yield* actions.settingsOf(bookId), start_date);
  const category = yield* find(categories, { book_id: bookId, id: category_id });
  return [
    ...(isStart ? [] : [startText]),
    ...(isPeriod ? [] : ['The budget periods of this book are not months']),
    ...(category === undefined ? ['This category id does not exist.'] : []),
  ];
}

/**
 * Makes the budget of a group at least the sum of its members, after one of them was set: returns it, or null for a
 * category without a group. Refuses a budget of a group that is less than the sum.
 */
function* groupBudget(change: Change, row: BudgetRow) {
  const { book_id, category_id: id, start_date } = row;
  const { is_group, group_id } = (yield* find(categories, { book_id, id }))!;
  const category_id = is_group ? id : group_id;
  if (category_id === null) return null;
  const before = yield* find(budgets, { book_id, category_id, start_date });
  const sum = yield* membersSum(book_id, category_id, before ?? row);
  const isEnough = before !== undefined && sum.amount <= amountIn(before, sum.currency);
  const least = formatAmount(sum.amount).replace(/0{1,2}$/, '');
  if (is_group && !isEnough) refuseAny(form, [`${tooSmall} ($${least}).`]);
  if (is_group) return null;
  const grown = { category_id, start_date, ...sum, amount: formatAmount(sum.amount) };
  const after = isEnough ? before : yield* actions.upsertBudget(change, grown as BudgetUpsert);
  return { category_id, amount: wireNumber(after.amount), currency: after.currency, start_date };
}

/** The sum of the budgets of a group's members: in a currency if all have it, otherwise in the primary currency. */
function* membersSum(book_id: number, group_id: number, { start_date, currency }: BudgetRow) {
  const ids = (yield* select(categories, { book_id, group_id })).map(({ id }) => id);
  const all = yield* actions.budgetsBetween(book_id, start_date, start_date);
  const own = all.filter(({ category_id }) => ids.includes(category_id));
  const isSame = own.every((each) => each.currency === currency);
  const common = isSame ? currency : yield* primaryCurrencyOf(book_id);
  return { amount: own.reduce((sum, each) => sum + amountIn(each, common), 0n), currency: common };
}

/** The amount of a budget in its own currency, or in the primary currency. */
function amountIn({ amount, to_base, currency }: BudgetRow, common: string): bigint {
  return BigInt(currency === common ? amount : to_base);
}

/** Most months of a list, inclusive. */
const mostMonths = 400;

/** Whether a budget that starts on a date is for a month of the calendar: v1 has no other periods. */
function isMonth(settings: PeriodSettings, date: string): boolean {
  const [period, month] = [periodOf(settings, date), periodOf(defaultSettings, date)];
  return date === period.start && date === month.start && period.end === month.end;
}

/** Returns the months from one date to another, at most one more than {@link mostMonths}. */
function monthsOf(from: string, to: string): Period[] {
  const months = [periodOf(defaultSettings, from)];
  while (months.at(-1)!.end < to && months.length <= mostMonths)
    months.push(periodAfter(defaultSettings, months.at(-1)!)!);
  return months;
}

/** Returns the rows of all categories that budgets have, with the two for transactions without a category. */
function* budgetRows(bookId: number, months: readonly Period[]): Steps<BudgetRowV1[]> {
  const categories = yield* listCategories(bookId);
  const settings = yield* settingsOf(bookId);
  const [start, end] = [months[0]!.start, months.at(-1)!.end];
  const all = yield* budgetsBetween(bookId, start, end);
  const monthly = all.filter(({ start_date }) => isMonth(settings, start_date));
  const budgets = Map.groupBy(monthly, ({ category_id }) => category_id);
  const sums = Map.groupBy(yield* activitySums(bookId, months), (sum) => sum.categoryId);
  const expected = yield* expectedOccurrences(bookId, { start_date: start, end_date: end });
  const items = [...new Set(expected.map(({ item }) => item))];
  const names = new Map(categories.map(({ id, name }) => [id, name]));
  const members = Map.groupBy(categories, ({ group_id }) => group_id);
  const rows = categories.map((category): BudgetRowV1 => {
    const { id, name, group_id, is_group } = category;
    const own = [category, ...(members.get(id) ?? [])].flatMap((each) => sums.get(each.id) ?? []);
    return shownAs(BudgetRowV1, {
      ...category,
      category_name: name,
      category_id: id,
      order: 0,
      config: null,
      category_group_name: names.get(group_id ?? 0) ?? null,
      is_group: is_group ? true : null,
      data: dataOf(months, own, budgets.get(id) ?? []),
      ...recurringOf(items.filter((item) => item.override_category_id === id)),
    });
  });
  const others = [false, true].map((is_income): BudgetRowV1 => {
    const own = sums.get(null)?.filter(({ isInflow }) => isInflow === is_income) ?? [];
    return {
      category_name: 'Uncategorized',
      category_id: null,
      is_group: false,
      group_id: null,
      is_income,
      exclude_from_budget: false,
      exclude_from_totals: false,
      archived: false,
      order: 0,
      data: dataOf(months, own),
      config: null,
    };
  });
  const firstByName = categories.findIndex(({ group_id, order }) => (group_id ?? order) === null);
  return rows
    .toSpliced(firstByName === -1 ? rows.length : firstByName, 0, ...others)
    .map((row, order) => ({ ...row, order }))
    .filter((row) => !row.exclude_from_budget);
}

/** The activity and the budgets by month. Only categories have budgets, and months with zeros. */
function dataOf(
  months: readonly Period[],
  sums: readonly ActivitySum[],
  budgets?: readonly BudgetRow[],
): BudgetRowV1['data'] {
  const spent = Map.groupBy(sums, ({ range }) => range);
  const byStart = new Map(budgets?.map((budget) => [budget.start_date, budget]));
  const data = months.flatMap(({ start }, at): [string, MonthV1][] => {
    const own = spent.get(at);
    const budget = byStart.get(start);
    if (at > 0 && own === undefined && budget === undefined) return [];
    const isCounted = own !== undefined || budgets !== undefined;
    return [[start, { ...(isCounted && activityOf(own ?? [])), ...(budget && budgetOf(budget)) }]];
  });
  return Object.fromEntries(data);
}

function activityOf(sums: readonly ActivitySum[]): MonthV1 {
  const num_transactions = sums.reduce((total, { count }) => total + count, 0);
  const toBase = sums.reduce((total, each) => total + each.toBase, 0n);
  return { num_transactions, spending_to_base: wireNumber(toBase) };
}

function budgetOf({ amount, to_base, currency: budget_currency }: BudgetRow): MonthV1 {
  const budget_to_base = wireNumber(to_base);
  return { budget_to_base, budget_amount: wireNumber(amount), budget_currency };
}

function recurringOf(items: readonly RecurringRow[]): Pick<BudgetRowV1, 'recurring'> {
  const list = items.map((item) => ({
    payee: shownPayee(item),
    amount: formatAmount(item.amount),
    currency: item.currency,
    to_base: wireNumber(item.to_base),
  }));
  return list.length === 0 ? {} : { recurring: { list } };
}
