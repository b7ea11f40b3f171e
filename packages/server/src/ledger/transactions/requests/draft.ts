import {
  arrangementOf,
  checkReferences,
  checkedAmount,
  checkedMetadata,
  textOrNull,
  type Moved,
} from './checks.ts';
import type { Place } from './checks.ts';
import type { TransactionRow } from '../writes.ts';
import type { References } from '../references.ts';
import { updatableProperties, type TransactionUpdate } from './bodies.ts';

/**
 * A transaction while a request changes it, before the columns that depend on others are computed. In `next`, payee,
 * notes and category are the transaction's own, also while those of a recurring item are shown.
 */
export type Draft = Moved<TransactionRow>;

type OwnText = Pick<TransactionRow, 'payee' | 'notes' | 'category_id'>;

/** Returns the own payee, notes and category of a transaction, which may differ from the shown ones. */
export function ownTextOf(row: TransactionRow): OwnText {
  const { payee, notes, category_id, own_payee } = row;
  if (row.recurring_id === null || own_payee === null) return { payee, notes, category_id };
  return { payee: own_payee, notes: row.own_notes, category_id: row.own_category_id };
}

/** Returns a draft without changes. */
export function draftOf(before: TransactionRow): Draft {
  return { index: null, before, next: { ...before, ...ownTextOf(before) } };
}

/** Checks a body and returns the draft with its changes. Problems are added; then the draft is not used. */
export function withUpdate(
  place: Place,
  draft: Draft,
  body: TransactionUpdate,
  references: References,
): Draft {
  const { before, next: from } = draft;
  checkRequest(place, before, body);
  const next = {
    ...from,
    ...plainColumns(place, draft, body),
    ...accountColumns(from, body),
    tag_ids: tagsAfter(from, body),
  };
  checkReferences(place, newReferences(from, body), references);
  checkStatus(place, from, next);
  const account = references.plaidAccounts.get(before.plaid_account_id ?? 0);
  if (account?.allow_transaction_modifications === false) checkLocked(place, from, next);
  else checkExternalId(place, from, next);
  return { index: place.index, before, next };
}

function checkRequest(
  { problems, index, takesArranged = false }: Place,
  row: TransactionRow,
  body: TransactionUpdate,
): void {
  const arrangement = takesArranged ? null : arrangementOf(row);
  if (arrangement !== null)
    problems.add(index, arrangement.text, {
      error: 'Split or Grouped Transaction',
      invalid_property: 'id',
      transaction_id: row.id,
      ...arrangement.keys,
    });
  if (!updatableProperties.some((name) => Object.hasOwn(body, name)))
    problems.add(
      index,
      `transaction ${row.id} needs at least one property to update: ${updatableProperties.join(', ')}`,
      { error: 'Nothing To Update', transaction_id: row.id },
    );
  if (body.tag_ids !== undefined && body.additional_tag_ids !== undefined)
    problems.add(index, 'must not have both tag_ids and additional_tag_ids', {
      error: 'Invalid Tags',
      invalid_property: 'additional_tag_ids',
    });
}

type Columns = Partial<TransactionRow>;

function plainColumns(place: Place, { before, next }: Draft, body: TransactionUpdate): Columns {
  const { date, currency, status, recurring_id, amount, notes, external_id } = body;
  const own = {
    payee: body.payee,
    notes: notes === undefined ? undefined : textOrNull(notes),
    category_id: body.category_id,
  };
  return {
    date: date ?? next.date,
    currency: currency ?? next.currency,
    status: status ?? next.status,
    amount: amount === undefined ? next.amount : checkedAmount(place, amount),
    recurring_id: recurring_id === undefined ? next.recurring_id : recurring_id,
    external_id: external_id === undefined ? next.external_id : textOrNull(external_id),
    custom_metadata:
      body.custom_metadata === undefined
        ? next.custom_metadata
        : checkedMetadata(place, body.custom_metadata),
    ...withoutEchoes(before, own),
  };
}

/** Removes texts that are undefined, and echoes of what a recurring item shows, which must not replace own texts. */
export function withoutEchoes(
  before: TransactionRow,
  own: { readonly [K in keyof OwnText]: OwnText[K] | undefined },
): Partial<OwnText> {
  const isEcho = (name: keyof OwnText): boolean =>
    before.recurring_id !== null && own[name] === before[name];
  const names = Object.keys(own) as (keyof OwnText)[];
  const sent = names.filter((name) => own[name] !== undefined && !isEcho(name));
  return Object.fromEntries(sent.map((name) => [name, own[name]]));
}

/** An account of one kind replaces one of the other kind. */
export function accountColumns(
  next: TransactionRow,
  body: TransactionUpdate,
): Pick<TransactionRow, 'manual_account_id' | 'plaid_account_id'> {
  const { manual_account_id: manual, plaid_account_id: plaid } = body;
  const isManual = manual !== undefined && manual !== null;
  const isPlaid = plaid !== undefined && plaid !== null;
  return {
    manual_account_id: manual ?? (isPlaid || manual === null ? null : next.manual_account_id),
    plaid_account_id: plaid ?? (isManual || plaid === null ? null : next.plaid_account_id),
  };
}

function tagsAfter({ tag_ids }: TransactionRow, body: TransactionUpdate): string {
  const { tag_ids: replacing, additional_tag_ids: added } = body;
  if (replacing === undefined && added === undefined) return tag_ids;
  const all = replacing ?? [...(JSON.parse(tag_ids) as number[]), ...added!];
  return JSON.stringify([...new Set(all)]);
}

/** The references that a body changes. Those that it repeats may be to records that were deleted. */
function newReferences(row: TransactionRow, body: TransactionUpdate): TransactionUpdate {
  const names = ['category_id', 'manual_account_id', 'plaid_account_id', 'recurring_id'] as const;
  const same = names.filter((name) => body[name] === row[name]).map((name) => [name, null]);
  return { ...body, ...(Object.fromEntries(same) as object) };
}

function checkStatus(
  { problems, index }: Place,
  before: TransactionRow,
  next: TransactionRow,
): void {
  const keys = { error: 'Invalid Status', invalid_property: 'status', status: next.status };
  if (next.status === 'delete_pending' && before.status !== 'delete_pending')
    problems.add(index, 'status must be reviewed or unreviewed, not delete_pending', keys);
  if (next.status === 'reviewed' && before.is_pending)
    problems.add(index, 'status of a pending transaction must be unreviewed', keys);
}

const lockedProperties = [
  ...(['amount', 'currency'] as const),
  ...(['manual_account_id', 'plaid_account_id', 'external_id'] as const),
];

function checkLocked(
  { problems, index }: Place,
  before: TransactionRow,
  next: TransactionRow,
): void {
  const { id } = before;
  for (const property of lockedProperties)
    if (next[property] !== before[property])
      problems.addWhole(
        `Cannot change ${property} of transaction ${id}: its plaid account does not allow modifications`,
        {
          error: 'Transaction belongs to a locked Plaid account',
          id,
          ...(index !== null && { transaction_index: index }),
          locked_property: property,
        },
      );
}

function checkExternalId(
  { problems, index }: Place,
  before: TransactionRow,
  { external_id, manual_account_id }: TransactionRow,
): void {
  if (external_id === null || external_id === before.external_id || manual_account_id !== null)
    return;
  const keys = { error: 'Invalid External ID', invalid_property: 'external_id', external_id };
  problems.add(index, 'external ID needs a manual account', keys);
}
