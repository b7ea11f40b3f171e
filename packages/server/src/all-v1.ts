import { budgetComponentsV1 } from './v1/budget-schema.ts';
import { categoryRoutesV1 } from './v1/categories.ts';
import { categoryComponentsV1 } from './v1/category-schema.ts';
import { accountComponentsV1, accountRoutesV1 } from './v1/accounts.ts';
import { cryptoComponentsV1, cryptoRoutesV1 } from './v1/crypto.ts';
import { MeV1, meRoutesV1 } from './v1/me.ts';
import { recurringRoutesV1 } from './v1/recurring.ts';
import { recurringComponentsV1 } from './v1/recurring-schema.ts';
import { plaidAccountComponentsV1, plaidAccountRoutesV1 } from './v1/plaid-accounts.ts';
import { tagComponentsV1, tagRoutesV1 } from './v1/tags.ts';
import { transactionRoutesV1 } from './v1/transactions/routes.ts';
import { transactionComponentsV1 } from './v1/transactions/schema.ts';
import { errorComponentsV1, True, formsV1, refuseAny } from './v1/refusals.ts';
import { type Operation, cached, read, write } from './operations/operation.ts';
import { isCalendarDate } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import { shorten } from '@coffer/core/text';
import type { Change } from './book/change.ts';
import type { Steps } from './db/engine.ts';
import { find, select } from './db/rows.ts';
import { given } from './db/table.ts';
import { budgets, categories } from './db/tables/tables.ts';
import { roundedAmount } from './operations/amounts.ts';
import { isCurrencyCode } from './operations/currencies.ts';
import { changed, ok } from './operations/responses.ts';
import { wireNumber } from './operations/schema.ts';
import { primaryCurrencyOf } from './ledger/currencies/actions.ts';
import * as actions from './ledger/budgets/actions.ts';
import { settingsOf } from './ledger/budgets/settings.ts';
import type { BudgetRow } from './ledger/budgets/actions.ts';
import type { BudgetKey, BudgetUpsert } from './ledger/budgets/schema.ts';
import { budgetRows, isMonth, monthsOf, mostMonths } from './v1/budget-rows.ts';
import * as schema from './v1/budget-schema.ts';

const form = formsV1.categories;
const all = { path: '/v1/budgets', tag: 'budgets', v1: form } as const;
const tooSmall = 'Budget must be greater than or equal to the sum of sub-category budgets';
const startText = 'start_date must be a valid date in format YYYY-MM-01';

const budgetRoutesV1: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getBudgetsV1',
      summary: 'List activity and budgets by month',
      description:
        'Returns all categories that budgets do not omit. Budgets for other periods than months are not shown.',
      query: schema.BudgetListQueryV1,
      response: ok(schema.BudgetListV1, 'The categories.', schema.examples.list),
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
    cached,
  ),
  write(
    'PUT',
    {
      ...all,
      id: 'upsertBudgetV1',
      summary: 'Set a budget',
      description:
        'The budget of a group grows to the sum of its members, and cannot be set to less.',
      body: schema.BudgetUpsertV1,
      bodyExamples: schema.examples.upsert,
      response: changed(schema.GroupBudgetV1, 'The budget of the group.', schema.examples.group),
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
      query: schema.BudgetKeyV1,
      response: changed(True, 'There is no budget.', schema.examples.done),
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
  const isPeriod = !isStart || isMonth(yield* settingsOf(bookId), start_date);
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

/** The operations of v1, in the order of their document. */
export const operationsV1: readonly Operation[] = [
  ...transactionRoutesV1,
  ...categoryRoutesV1,
  ...tagRoutesV1,
  ...recurringRoutesV1,
  ...budgetRoutesV1,
  ...accountRoutesV1,
  ...plaidAccountRoutesV1,
  ...cryptoRoutesV1,
  ...meRoutesV1,
];

/** The schemas of the document of v1. */
export const componentsV1 = {
  ...transactionComponentsV1,
  ...categoryComponentsV1,
  ...tagComponentsV1,
  ...recurringComponentsV1,
  ...budgetComponentsV1,
  ...accountComponentsV1,
  ...plaidAccountComponentsV1,
  ...cryptoComponentsV1,
  MeV1,
} as const;

/** Schemas of v1 that belong to no subject; they are the last ones. */
export const sharedComponentsV1 = { ...errorComponentsV1, TrueV1: True } as const;
