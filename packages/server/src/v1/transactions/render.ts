import { formatAmount } from '@coffer/core/money';
import type { Steps } from '../../db/engine.ts';
import type { Row } from '../../db/table.ts';
import { categories, recurringItems } from '../../db/tables/tables.ts';
import { getTransaction } from '../../pages/pages.ts';
import { signed } from '../refusals.ts';
import { cadenceV1 } from '../../ledger/recurring/rules.ts';
import {
  readReferences,
  recordsById,
  type References,
} from '../../ledger/transactions/references.ts';
import type { ChildTransaction, Transaction } from '../../ledger/transactions/schema.ts';
import type { GroupMemberV1, TransactionV1 } from './schema.ts';

type CategoryRow = Row<typeof categories>;
type RecurringRow = Row<typeof recurringItems>;

/** The records whose texts v1 shows with transactions, by id. */
export interface Named extends Omit<References, 'recurringIds'> {
  readonly groups: ReadonlyMap<number, CategoryRow>;
  readonly recurring: ReadonlyMap<number, RecurringRow>;
}

/** Returns a transaction of the book as v1 shows it, or null. */
export function* transactionV1(
  bookId: number,
  id: number,
  isNegated = false,
): Steps<TransactionV1 | null> {
  const json = yield* getTransaction(bookId, id);
  if (json === null) return null;
  const row = JSON.parse(json.toString()) as Transaction;
  return (yield* transactionsV1(bookId, [row], isNegated))[0]!;
}

/**
 * Returns transactions as v1 shows them, from those of v2 with their children and metadata. `isNegated`: money out is
 * negative.
 */
export function* transactionsV1(
  bookId: number,
  rows: readonly Transaction[],
  isNegated: boolean,
): Steps<TransactionV1[]> {
  // Recurring items are read whole, and dismissed ones too.
  const others = rows.map((row) => ({ ...row, recurring_id: null }));
  const named = yield* readReferences(bookId, others);
  const groupIds = [...named.categories.values()].flatMap(({ group_id: id }) => id ?? []);
  const groups = yield* recordsById(categories, bookId, [...new Set(groupIds)]);
  const itemIds = rows.flatMap(({ recurring_id: id }) => id ?? []);
  const recurring = yield* recordsById(recurringItems, bookId, [...new Set(itemIds)]);
  return rows.map((row) => toV1(row, { ...named, groups, recurring }, isNegated));
}

/** Returns a transaction of v2 as v1 shows it. A group has no account of its own. */
export function toV1(row: Transaction, named: Named, isNegated: boolean): TransactionV1 {
  const account = row.is_group_parent ? noAccount : row;
  const { id, date, currency, payee, notes, created_at, updated_at, is_pending } = row;
  const { is_group_parent: is_group, split_parent_id: parent_id } = row;
  // Amounts of groups have no zeros at the end: `66.45`, `3`.
  const amount = is_group ? row.amount.replace(/\.?0{1,4}$/, '') : row.amount;
  const flipped = isNegated ? -row.to_base : row.to_base;
  return {
    id,
    date,
    amount: signed(amount, isNegated),
    currency,
    to_base: flipped,
    payee,
    ...categoryV1(row.category_id, named),
    created_at,
    updated_at,
    status: statusV1(row),
    is_pending,
    notes,
    original_name: is_group ? null : row.original_name,
    ...recurringV1(named.recurring.get(row.recurring_id ?? 0), isNegated),
    parent_id,
    has_children: row.is_split_parent,
    group_id: row.group_parent_id,
    is_group,
    ...accountV1(row.plaid_metadata, account, named),
    source: row.source === 'split' ? 'api' : row.source,
    display_name: payee,
    display_notes: notes,
    account_display_name: accountName(account, named),
    tags: row.tag_ids.flatMap((tagId) => {
      const name = named.tags.get(tagId)?.name;
      return name === undefined ? [] : { name, id: tagId };
    }),
    ...(is_group && { children: row.children?.map((each) => memberV1(each, isNegated)) ?? [] }),
    external_id: row.external_id,
  };
}

function statusV1({ is_pending, status }: Transaction): TransactionV1['status'] {
  if (is_pending) return 'pending';
  return status === 'reviewed' ? 'cleared' : 'uncleared';
}

function categoryV1(category_id: number | null, { categories, groups }: Named) {
  const category: Partial<CategoryRow> = categories.get(category_id ?? 0) ?? {};
  const { is_income = false, exclude_from_budget = false, exclude_from_totals = false } = category;
  const group = groups.get(category.group_id ?? 0);
  return {
    category_id,
    category_name: category.name ?? null,
    category_group_id: group?.id ?? null,
    category_group_name: group?.name ?? null,
    is_income,
    exclude_from_budget,
    exclude_from_totals,
  };
}

function recurringV1(item: RecurringRow | undefined, isNegated: boolean) {
  return {
    recurring_id: item?.id ?? null,
    recurring_payee: item?.override_payee ?? item?.payee ?? null,
    recurring_description: item?.override_notes ?? item?.description ?? null,
    recurring_cadence: item === undefined ? null : cadenceV1(item),
    recurring_granularity: item?.granularity ?? null,
    recurring_quantity: item?.quantity ?? null,
    recurring_type: item === undefined ? null : typeV1(item),
    recurring_amount: item === undefined ? null : signed(formatAmount(item.amount), isNegated),
    recurring_currency: item?.currency ?? null,
  };
}

function typeV1({ status }: RecurringRow): TransactionV1['recurring_type'] {
  if (status === 'reviewed') return 'cleared';
  return status === 'suggested' ? status : 'dismissed';
}

type Account = Pick<Transaction, 'manual_account_id' | 'plaid_account_id'>;
const noAccount: Account = { manual_account_id: null, plaid_account_id: null };

function accountV1(
  metadata: Transaction['plaid_metadata'] = null,
  { manual_account_id, plaid_account_id }: Account,
  { manualAccounts, plaidAccounts }: Named,
) {
  const asset = manualAccounts.get(manual_account_id ?? 0);
  const synced = plaidAccounts.get(plaid_account_id ?? 0);
  return {
    asset_id: manual_account_id,
    asset_institution_name: asset?.institution_name ?? null,
    asset_name: asset?.name ?? null,
    asset_display_name: asset?.display_name ?? null,
    asset_status: asset?.status ?? null,
    plaid_account_id,
    plaid_account_name: synced?.name ?? null,
    plaid_account_mask: synced?.mask ?? null,
    institution_name: synced?.institution_name ?? null,
    plaid_account_display_name: synced?.display_name ?? null,
    plaid_metadata: metadata === null ? null : JSON.stringify(metadata),
  };
}

/** The display name of the account, or else its institution and its name; empty without an account. */
function accountName(row: Account, { manualAccounts, plaidAccounts }: Named): string {
  const account =
    manualAccounts.get(row.manual_account_id ?? 0) ?? plaidAccounts.get(row.plaid_account_id ?? 0);
  if (account === undefined) return '';
  return account.display_name ?? `${account.institution_name ?? ''} ${account.name}`.trim();
}

function memberV1(member: ChildTransaction, isNegated: boolean): GroupMemberV1 {
  const { id, payee, amount, currency, date, notes, plaid_account_id, to_base } = member;
  return {
    id,
    payee,
    amount: signed(amount, isNegated),
    currency,
    date,
    formatted_date: date,
    notes,
    asset_id: member.manual_account_id,
    plaid_account_id,
    to_base: isNegated ? -to_base : to_base,
  };
}
