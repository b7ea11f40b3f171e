import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { books, budgets, recurringItems, rules } from '../../db/tables/tables.ts';
import type { DemoBook, DemoRule } from '../book/demo-book.ts';
import { idAt, insertEach, made } from './rows.ts';
import type { DemoIds } from './rows.ts';

/** Inserts the recurring items. Transactions that are inserted later can be linked to them. */
export function* fillRecurring(
  change: Change,
  { recurringItems: items = [] }: DemoBook,
  ids: DemoIds,
): Steps<void> {
  const book = yield* find(books, { id: change.bookId });
  yield* insertEach(change, recurringItems, items, (each) => ({
    description: each.description,
    status: each.status,
    source: each.source,
    start_date: each.anchorDate,
    end_date: null,
    anchor_date: each.anchorDate,
    granularity: 'month' as const,
    quantity: 1,
    payee: each.payee,
    amount: each.amount,
    to_base: each.amount,
    currency: each.currency,
    manual_account_id: idAt(ids.manualAccounts, each.manualAccount),
    plaid_account_id: idAt(ids.plaidAccounts, each.plaidAccount),
    override_payee: each.overridePayee,
    override_notes: each.overrideNotes,
    override_category_id: idAt(ids.categories, each.overrideCategory),
    created_by: book!.user_id,
    ...made,
  }));
}

/** Inserts the budgets and the rules. */
export function* fillPlans(change: Change, demo: DemoBook, ids: DemoIds): Steps<void> {
  const all = (demo.budgets ?? []).map(({ category, startDate, amount, notes }) => ({
    category_id: ids.categories[category]!,
    start_date: startDate,
    amount,
    currency: demo.primaryCurrency,
    to_base: amount,
    notes,
  }));
  yield* change.insertAll(budgets, all);
  yield* insertEach(change, rules, demo.rules ?? [], (rule, before) => ({
    position: before.length + 1,
    name: rule.name,
    stop: false,
    conditions: storedText(conditionsOf(rule, ids)),
    actions: storedText(actionsOf(rule, ids)),
    ...made,
  }));
}

function conditionsOf({ payee, amount, plaidAccount }: DemoRule, ids: DemoIds) {
  const plaid = plaidAccount === undefined ? undefined : ids.plaidAccounts[plaidAccount];
  return { amount, payee, plaid_account_id: plaid };
}

function actionsOf({ newPayee, newCategory, newTags, reviewed }: DemoRule, ids: DemoIds) {
  return {
    category_id: newCategory === undefined ? undefined : ids.categories[newCategory],
    payee: newPayee,
    reviewed,
    tag_ids: newTags?.map((tag) => ids.tags[tag]),
  };
}

/** The keys are in the order in which rules are stored; what is undefined is left out. */
function storedText(value: object): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part !== 'object' || part === null || Array.isArray(part)
      ? part
      : Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
}
