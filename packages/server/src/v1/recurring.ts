import { Type, type Static } from 'typebox';
import {
  amount,
  date,
  exampleOf,
  id,
  listOf,
  nullable,
  object,
  only,
  optional,
  text,
  word,
  wireNumber,
} from '../operations/schema.ts';
import { bare, debitAsNegative, formsV1, refuseAny, refusedV1, shownAs } from './refusals.ts';
import { flags } from '../ledger/categories/schema.ts';
import { RecurringItem } from '../ledger/recurring/schema.ts';
import { addDays, daysApart, instantOf, isCalendarDate } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import { expectedDates } from '@coffer/core/schedule';
import { now } from '../db/engine.ts';
import { ok } from '../operations/responses.ts';
import { listCategories } from '../ledger/categories/actions.ts';
import { read, type Operation, type ReadOptions } from '../operations/operation.ts';
import { listRecurring } from '../ledger/recurring/items.ts';
import { linkedTransactions, transactionsById } from '../ledger/recurring/links.ts';
import type { TransactionRow } from '../ledger/recurring/links.ts';
import type { DateRange, RecurringRow } from '../ledger/recurring/rules.ts';
import * as rules from '../ledger/recurring/rules.ts';

const { transaction_criteria, created_at, source, description, ...own } = RecurringItem.properties;
const criteria = transaction_criteria.properties;
const { start_date, end_date, plaid_account_id, to_base } = criteria;
const dates = { start_date, end_date };
const accounts = { plaid_account_id, asset_id: criteria.manual_account_id };
const cadence = text('Rhythm in words, such as `monthly`.');
const payee = text('Payee that linked transactions show, else that of matching ones.');
const original_name = nullable(text('Payee of matching transactions; null if a user made it.'));
const category_id = nullable(id('Id of the category of linked transactions.'));
const money = { amount: amount('Amount in `currency`.'), currency: text('Code of the currency.') };

const { id: itemId, transaction_criteria: rent, ...item } = exampleOf(RecurringItem);
const shownRent = {
  id: itemId,
  ...only(rent, ['start_date', 'end_date', 'plaid_account_id', 'amount', 'currency']),
  ...only(item, ['created_at', 'description', 'source']),
  asset_id: 3,
  payee: 'Rent',
  original_name: null,
  category_id: 8,
  cadence: 'monthly',
};

const RecurringExpenseV1 = object(
  'RecurringExpenseV1',
  'An expected transaction.',
  {
    id: own.id,
    ...dates,
    cadence,
    payee,
    ...money,
    created_at,
    description,
    billing_date: date('The date on which it is expected.'),
    type: word(['cleared', 'suggested'], {
      description: '`cleared`: approved. `suggested`: found in the transactions.',
    }),
    original_name,
    source,
    ...accounts,
    category_id,
  },
  { example: { ...shownRent, billing_date: '2026-03-31', type: 'cleared' } },
);
type RecurringExpenseV1 = Static<typeof RecurringExpenseV1>;

const RecurringExpenseListV1 = object('RecurringExpenseListV1', 'Those of one month.', {
  recurring_expenses: listOf(RecurringExpenseV1, 'Sorted by item and date.'),
});

const RecurringMatchV1 = object(
  'RecurringMatchV1',
  'A linked transaction.',
  {
    id: id('Id of the transaction.'),
    date: date('Date of the transaction.'),
    ...money,
    payee: text('Payee of the transaction.'),
    category_id,
    recurring_id: own.id,
    to_base,
  },
  {
    example: {
      id: 5012,
      date: '2026-03-01',
      amount: rent.amount,
      currency: rent.currency,
      payee: 'Rent',
      category_id: 8,
      recurring_id: itemId,
      to_base: rent.to_base,
    },
  },
);
type RecurringMatchV1 = Static<typeof RecurringMatchV1>;

const matches = listOf(RecurringMatchV1, 'Linked transactions.');

const RecurringItemV1 = object(
  'RecurringItemV1',
  'A recurring item.',
  {
    id: own.id,
    ...dates,
    payee,
    currency: money.currency,
    created_by: own.created_by,
    created_at,
    updated_at: own.updated_at,
    billing_date: criteria.anchor_date,
    original_name,
    description,
    ...accounts,
    source,
    amount: money.amount,
    notes: nullable(text('Notes of linked transactions.')),
    category_id,
    category_group_id: nullable(id('Id of the group of the category.')),
    is_income: flags.is_income,
    exclude_from_totals: flags.exclude_from_totals,
    cadence,
    granularity: criteria.granularity,
    quantity: criteria.quantity,
    occurrences: Type.Unsafe<Record<string, RecurringMatchV1[]>>({
      type: 'object',
      additionalProperties: matches,
      description:
        'By expected date: those of the range, the last one before and the first one after.',
    }),
    transactions_within_range: matches,
    missing_dates_within_range: Type.Array(date('An expected date.'), {
      description: 'Expected dates of the range without a linked transaction.',
    }),
    date: date('Today.'),
    to_base,
  },
  {
    example: {
      ...shownRent,
      ...only(item, ['created_by', 'updated_at']),
      ...only(rent, ['granularity', 'quantity', 'to_base']),
      billing_date: rent.anchor_date,
      notes: null,
      category_group_id: null,
      is_income: false,
      exclude_from_totals: false,
      occurrences: { '2026-02-28': [], '2026-03-31': [], '2026-04-30': [] },
      transactions_within_range: [exampleOf(RecurringMatchV1)],
      missing_dates_within_range: ['2026-03-31'],
      date: '2026-03-07',
    },
  },
);
type RecurringItemV1 = Static<typeof RecurringItemV1>;

const RecurringItemListV1 = bare(
  'RecurringItemListV1',
  listOf(RecurringItemV1, 'The approved items, sorted by `id`.'),
);

const RecurringExpenseQueryV1 = Type.Object({
  start_date: optional(text('A day of the month; by default the current month in UTC.')),
  debit_as_negative: debitAsNegative,
});

const RecurringItemQueryV1 = Type.Object({
  start_date: optional(text('First day; by default that of the current month in UTC.')),
  end_date: optional(
    text('Last day; needs `start_date`. By default the end of the current month.'),
  ),
  debit_as_negative: debitAsNegative,
});

const area = { tag: 'recurring-items', v1: formsV1.recurring } as const;
const byDay: ReadOptions = { state: (_, nowMs) => instantOf(nowMs).slice(0, 10) };

export const recurringRoutesV1: readonly Operation[] = [
  read(
    {
      ...area,
      path: '/v1/recurring_expenses',
      id: 'getRecurringExpensesV1',
      summary: 'List the expected transactions of a month',
      query: RecurringExpenseQueryV1,
      response: ok(RecurringExpenseListV1, 'The entries.'),
    },
    function* ({ bookId, query }) {
      refuseDates(query);
      const month = rules.monthOf(query.start_date ?? (yield* now()));
      const items = (yield* listRecurring(bookId)).filter(({ status }) => status !== 'dismissed');
      const entries = items.flatMap((item) => expensesOf(item, month, query.debit_as_negative));
      return { recurring_expenses: entries };
    },
    { isCached: true, ...byDay },
  ),
  read(
    {
      ...area,
      path: '/v1/recurring_items',
      id: 'getRecurringItemsV1',
      summary: 'List recurring items',
      description: 'Returns the approved items, with the expected and linked transactions.',
      query: RecurringItemQueryV1,
      response: ok(RecurringItemListV1, 'The items.'),
    },
    function* ({ bookId, query }) {
      refuseDates(query);
      const today = (yield* now()).slice(0, 10);
      return yield* itemsOf(bookId, rangeOf(query, today), today, query.debit_as_negative);
    },
    { isCached: true, ...byDay },
  ),
];

function refuseDates({ start_date, end_date }: Partial<DateRange>): void {
  const named = Object.entries({ start_date, end_date });
  const wrong = named.filter(([, date]) => date !== undefined && !isCalendarDate(date));
  const isEndAlone = start_date === undefined && end_date !== undefined;
  refuseAny(formsV1.recurring, [
    ...wrong.map(([name]) => `Invalid ${name}. Must be in format YYYY-MM-DD`),
    ...(isEndAlone ? ['Both start_date and end_date must be specified.'] : []),
  ]);
}

/** The current month; from a date alone to the end of the current month, or of its own month if that is later. */
function rangeOf({ start_date, end_date }: Partial<DateRange>, today: string): DateRange {
  const month = rules.monthOf(today);
  if (start_date === undefined) return month;
  const own = rules.monthOf(start_date).end_date;
  const last = end_date ?? (own > month.end_date ? own : month.end_date);
  if (daysApart(start_date, last) > rules.mostRangeDays)
    throw refusedV1(formsV1.recurring, 'end_date must be at most ten years after start_date');
  return { start_date, end_date: last };
}

function* itemsOf(bookId: number, range: DateRange, today: string, isNegated: boolean) {
  const items = (yield* listRecurring(bookId)).filter(({ status }) => status === 'reviewed');
  const dates = new Map(items.map((item) => [item.id, rules.datesAround(item, range)]));
  const all = [...dates.values(), range.start_date, range.end_date].flat().toSorted();
  const linked = yield* linkedTransactions(
    bookId,
    [...dates.keys()],
    addDays(all[0]!, -2 * rules.mostReachDays),
    addDays(all.at(-1)!, 2 * rules.mostReachDays),
  );
  const ids = [...linked.values()].flat().map(({ id }) => id);
  const rows = yield* transactionsById(bookId, ids);
  const categories = new Map((yield* listCategories(bookId)).map((each) => [each.id, each]));
  return items.map((item) => {
    const own = linked.get(item.id) ?? [];
    const takers = rules.takersOf(item, own);
    const matches = rules.matchesOf(item, own, range)!;
    const { found_transactions: found, missing_transaction_dates: missing } = matches;
    const match = (id = 0) => [rows.get(id) ?? []].flat().map((row) => matchOf(row, isNegated));
    const occurrences = dates.get(item.id)!.map((date) => [date, match(takers.get(date)?.id)]);
    const category = categories.get(item.override_category_id ?? 0);
    return shownAs(RecurringItemV1, {
      ...renamed(item, isNegated),
      notes: item.override_notes,
      date: today,
      category_group_id: category?.group_id ?? null,
      is_income: category?.is_income ?? false,
      exclude_from_totals: category?.exclude_from_totals ?? false,
      occurrences: Object.fromEntries(occurrences) as RecurringItemV1['occurrences'],
      transactions_within_range: found.flatMap((each) => match(each.transaction_id)),
      missing_dates_within_range: missing,
    });
  });
}

function expensesOf(item: RecurringRow, { start_date, end_date }: DateRange, isNegated: boolean) {
  const type = item.status === 'suggested' ? ('suggested' as const) : ('cleared' as const);
  const expense = { ...renamed(item, isNegated), type };
  return expectedDates(item, start_date, end_date).map((billing_date) =>
    shownAs(RecurringExpenseV1, { ...expense, billing_date }),
  );
}

/** Returns an item with the names of v1. */
function renamed(item: RecurringRow, isNegated: boolean) {
  return {
    ...item,
    ...moneyOf(item, isNegated),
    payee: rules.shownPayee(item),
    billing_date: item.anchor_date,
    asset_id: item.manual_account_id,
    category_id: item.override_category_id,
    // Only an item that was made from transactions has their name.
    original_name: item.source === 'manual' ? null : item.payee,
    // Clients of these lists need a text for every rhythm.
    cadence: rules.cadenceV1(item) ?? `every ${item.quantity} ${item.granularity}s`,
  };
}

function matchOf(row: TransactionRow, isNegated: boolean) {
  const match = { ...row, ...moneyOf(row, isNegated), recurring_id: row.recurring_id! };
  return shownAs(RecurringMatchV1, match);
}

function moneyOf({ amount, to_base }: RecurringRow | TransactionRow, isNegated: boolean) {
  const sign = isNegated ? -1 : 1;
  return { amount: formatAmount(sign * amount), to_base: wireNumber(sign * to_base) };
}
