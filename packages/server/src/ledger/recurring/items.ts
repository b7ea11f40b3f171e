import { shorten } from '@coffer/core/text';
import { maxAmount } from '@coffer/core/money';
import { changing, type Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select, rowAs } from '../../db/rows.ts';
import { given, integer, type BookTable, type NewRow } from '../../db/table.ts';
import {
  categories,
  manualAccounts,
  plaidAccounts,
  recurringItems,
} from '../../db/tables/tables.ts';
import { parseAmountInput } from '../../operations/amounts.ts';
import { bodyProblem, type ErrorDetail } from '../../operations/problem.ts';
import { latestToBase, primaryCurrencyOf } from '../currencies/actions.ts';
import { recordOf, refuseNothingToUpdate } from '../../operations/records.ts';
import { detachAll, relink, linkExisting, countLinked } from './links.ts';
import { detailsOf, type RecurringRow } from './rules.ts';
import type {
  CriteriaInput,
  OverridesInput,
  RecurringItemInsert,
  RecurringItemUpdate,
} from './schema.ts';
import sql from 'sql-template-tag';
import { recordKind } from '../../book/record.ts';

/** Returns the recurring items of a book by id, with suggested and dismissed ones. */
export function* listRecurring(bookId: number): Steps<RecurringRow[]> {
  return yield* select(recurringItems, { book_id: bookId });
}

/** Returns a recurring item of any status. Throws a 404. */
export function* recurringOf(bookId: number, id: number): Steps<RecurringRow> {
  return yield* recordOf(recurringItems, 'recurring item', bookId, id);
}

/** Creates a reviewed item, and links what fits it of the last two years. Throws a Problem with all that is wrong. */
export function* createRecurring(
  change: Change,
  createdBy: number,
  body: RecurringItemInsert,
): Steps<RecurringRow> {
  const problems: ErrorDetail[] = [];
  const criteria = yield* criteriaColumns(change, body.transaction_criteria, null, problems);
  const overrides = yield* overrideColumns(change, body.overrides ?? {}, problems);
  if (problems.length > 0) throw bodyProblem(...problems);
  const made = yield* change.insert(recurringItems, {
    ...criteria,
    ...overrides,
    description: body.description ?? null,
    status: 'reviewed',
    source: 'manual',
    created_by: createdBy,
  });
  yield* linkExisting(change, made);
  return made;
}

/**
 * Changes an item. Its linked transactions show the new values. An item that is approved, or gets other criteria, is
 * linked to the transactions of the last two years that fit it; a dismissed item loses its links.
 */
export function* updateRecurring(
  change: Change,
  before: RecurringRow,
  body: RecurringItemUpdate,
): Steps<RecurringRow> {
  refuseNothingToUpdate('recurring item', withoutIgnored(body));
  const { transaction_criteria: criteria, overrides, status = before.status, description } = body;
  const problems: ErrorDetail[] = [];
  if (status === 'suggested' && before.status !== 'suggested')
    problems.push(problem('status', status, `cannot replace "${before.status}"`));
  const columns = {
    ...(criteria && (yield* criteriaColumns(change, criteria, before, problems))),
    ...(overrides && (yield* overrideColumns(change, overrides, problems))),
    ...given({ status, description }),
  };
  if (problems.length > 0) throw bodyProblem(...problems);
  const after = yield* change.update(recurringItems, before, columns);
  if (after.status === 'dismissed') yield* detachAll(change, after);
  else yield* relink(change, after);
  const isApproved = after.status === 'reviewed' && before.status !== 'reviewed';
  if (isApproved || (criteria !== undefined && after.status === 'reviewed'))
    yield* linkExisting(change, after);
  return after;
}

/** Removes an item. Its linked transactions show their own text again. */
export function* removeRecurring(change: Change, item: RecurringRow): Steps<void> {
  yield* detachAll(change, item);
  yield* change.remove(recurringItems, item);
}

type CriteriaColumns = Omit<
  NewRow<typeof recurringItems>,
  'status' | 'source' | 'created_by' | 'created_at' | 'updated_at'
>;

function* criteriaColumns(
  change: Change,
  input: CriteriaInput,
  before: RecurringRow | null,
  problems: ErrorDetail[],
): Steps<CriteriaColumns> {
  const { granularity, quantity, anchor_date, start_date = null, end_date = null } = input;
  const { payee = null, manual_account_id = null, plaid_account_id = null } = input;
  if (start_date !== null && end_date !== null && start_date > end_date)
    problems.push(inCriteria('start_date', start_date, `must not be later than "${end_date}"`));
  yield* checkAccounts(change, input, before, problems);
  const amount = amountOf('amount', input.amount, problems);
  const tolerance = input.amount_tolerance;
  const amount_tolerance =
    tolerance === undefined
      ? (before?.amount_tolerance ?? 0)
      : amountOf('amount_tolerance', tolerance, problems);
  if (amount_tolerance < 0)
    problems.push(inCriteria('amount_tolerance', tolerance, 'must not be negative'));
  if (Math.abs(amount) + amount_tolerance > maxAmount)
    problems.push(inCriteria('amount_tolerance', tolerance, 'is too large for the amount'));
  const currency = input.currency ?? before?.currency ?? (yield* primaryCurrencyOf(change.bookId));
  const to_base = yield* latestToBase(change.bookId, amount, currency, change.at);
  return {
    granularity,
    quantity,
    anchor_date,
    start_date,
    end_date,
    payee,
    amount,
    amount_tolerance,
    currency,
    to_base,
    manual_account_id,
    plaid_account_id,
  };
}

/** The accounts must exist, but an item may keep the id of an account that was deleted. */
function* checkAccounts(
  { bookId }: Change,
  { manual_account_id: manual = null, plaid_account_id: synced = null }: CriteriaInput,
  before: RecurringRow | null,
  problems: ErrorDetail[],
): Steps<void> {
  const missing = 'is not an account of this book';
  if (manual !== null && synced !== null)
    problems.push(inCriteria('plaid_account_id', synced, 'excludes manual_account_id'));
  for (const [table, property, id] of [
    [manualAccounts, 'manual_account_id', manual],
    [plaidAccounts, 'plaid_account_id', synced],
  ] as const) {
    if (id === null || id === before?.[property]) continue;
    if ((yield* find<BookTable>(table, { book_id: bookId, id })) === undefined)
      problems.push(inCriteria(property, id, missing));
  }
}

function* overrideColumns(
  { bookId }: Change,
  { payee, notes, category_id: categoryId }: OverridesInput,
  problems: ErrorDetail[],
) {
  if (typeof categoryId === 'number') {
    const category = yield* find(categories, { book_id: bookId, id: categoryId });
    const reason =
      category === undefined ? 'is not a category of this book' : 'is a category group';
    if (category === undefined || category.is_group)
      problems.push({
        ...problem('overrides/category_id', categoryId, reason),
        category_id: categoryId,
      });
  }
  return {
    override_payee: payee ?? null,
    // As in transactions, empty notes are no notes.
    override_notes: notes === undefined || notes === '' ? null : notes,
    override_category_id: categoryId ?? null,
  };
}

function amountOf(property: string, value: number | string, problems: ErrorDetail[]): number {
  const amount = parseAmountInput(value);
  if (amount === null) problems.push(inCriteria(property, value, 'is too large'));
  return amount ?? 0;
}

function inCriteria(property: string, value: unknown, reason: string): ErrorDetail {
  const named = property.endsWith('_id') ? { [property]: value } : {};
  return { ...problem(`transaction_criteria/${property}`, value, reason), ...named };
}

function problem(property: string, value: unknown, reason: string): ErrorDetail {
  return {
    errMsg: `Body property ${property} ${reason}: ${shorten(JSON.stringify(value ?? null))}`,
    instancePath: `/body/${property}`,
    invalid_property: property.split('/').at(-1),
  };
}

function withoutIgnored({
  created_by: _,
  source: _source,
  matches: _matches,
  ...rest
}: RecurringItemUpdate) {
  return rest;
}

export const recurringRecord = recordKind(recurringItems, {
  toWire: detailsOf,
  shows: `id description status source start_date end_date granularity quantity anchor_date payee amount
    amount_tolerance to_base currency manual_account_id plaid_account_id override_payee override_notes
    override_category_id created_by created_at updated_at`,
  isDebit: true,
  // Of its last change, which a new value does not count as.
  valueDay: ({ updated_at }) => updated_at.slice(0, 10),
  refersTo: {
    // The items that override the category of their transactions.
    categories: {
      dependents: 'recurring',
      /** Dismissed ones do not count. */
      *count(bookId, id) {
        const found = yield* rowAs(
          { items: integer },
          sql`SELECT count(*) AS items FROM recurring_items
            WHERE book_id = ${bookId} AND override_category_id = ${id} AND status <> 'dismissed'`,
        );
        return found?.items ?? 0;
      },
      *move(change, from, into) {
        yield* setCategory(change, from, into);
      },
      /** The transactions of the items show their own categories again. */
      *detach(change, id) {
        yield* setCategory(change, id, null);
      },
    },
    manual_accounts: {
      /** The links of the items stay. */
      *move(change, from, { manual_account_id, plaid_account_id }) {
        const items = yield* itemsOf(change, from);
        yield* change.updateAll(recurringItems, items, { manual_account_id, plaid_account_id });
      },
      /** The transactions of the items show their own text again. */
      *remove(change, id) {
        for (const item of yield* itemsOf(change, id)) yield* removeRecurring(change, item);
      },
    },
  },
});

/** Gives the items of a category another one, which their transactions then show. */
function* setCategory(change: Change, from: number, into: number | null): Steps<void> {
  const where = { book_id: change.bookId, override_category_id: from };
  const items = yield* select(recurringItems, where);
  const moved = yield* change.updateAll(recurringItems, items, { override_category_id: into });
  for (const item of moved) yield* relink(change, item);
}

function* itemsOf({ bookId: book_id }: Change, manual_account_id: number) {
  return yield* select(recurringItems, { book_id, manual_account_id });
}

/** Creates a recurring item of a user, as one change of the book. Throws a Problem that lists all that is wrong. */
export function addRecurring(
  bookId: number,
  userId: number,
  body: RecurringItemInsert,
): Steps<RecurringRow> {
  return changing(causeOf(bookId, 'add'), (change) => createRecurring(change, userId, body));
}

/** Changes a recurring item, as one change of the book. Throws a Problem that lists all that is wrong. */
export function changeRecurring(
  bookId: number,
  id: number,
  body: RecurringItemUpdate,
): Steps<RecurringRow> {
  return changing(causeOf(bookId, 'update'), function* (change) {
    return yield* updateRecurring(change, yield* recurringOf(bookId, id), body);
  });
}

/** Removes a recurring item, as one change of the book. Returns the number of transactions that were linked to it. */
export function deleteRecurring(bookId: number, id: number): Steps<number> {
  return changing(causeOf(bookId, 'remove'), function* (change) {
    const item = yield* recurringOf(bookId, id);
    const linked = yield* countLinked(item);
    yield* removeRecurring(change, item);
    return linked;
  });
}

function causeOf(bookId: number, command: string) {
  return { bookId, actor: 'command', operation: `recurring ${command}` };
}
