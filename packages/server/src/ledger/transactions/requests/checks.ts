import { quote } from '@coffer/core/text';
import { parseAmountInput } from '../../../operations/amounts.ts';
import { maxCustomMetadataLength } from '../../../operations/limits.ts';
import type { TransactionRow } from '../writes.ts';
import type { References, Referring } from '../references.ts';
import type { RowProblems } from './row-problems.ts';

/** Where problems of one transaction are added. */
export interface Place {
  readonly problems: RowProblems;
  /** The place of the transaction in the request; null if the request has only one. */
  readonly index: number | null;
  /** Split and grouped transactions can be changed, too. */
  readonly takesArranged?: boolean;
}

/** Checks the ids of other records: they must be records of the book, of the right kind. */
export function checkReferences(place: Place, sent: Referring, references: References): void {
  checkCategory(place, sent.category_id, references);
  checkAccounts(place, sent, references);
  const { recurring_id: recurringId } = sent;
  if (isSet(recurringId) && !references.recurringIds.has(recurringId))
    addMissing(place, 'recurring ID', 'Invalid Recurring ID', 'recurring_id', recurringId);
  for (const property of ['tag_ids', 'additional_tag_ids'] as const)
    for (const [at, id] of (sent[property] ?? []).entries())
      if (!references.tags.has(id))
        place.problems.add(place.index, `${property}[${at}] ID does not exist: ${id}`, {
          ...{ error: 'Invalid Tag ID', invalid_property: property },
          ...{ tag_id: id, [`${property}_index`]: at },
        });
}

function isSet(id: number | null | undefined): id is number {
  return id !== undefined && id !== null;
}

function addMissing(place: Place, noun: string, error: string, property: string, id: number): void {
  const keys = { error, invalid_property: property, [property]: id };
  place.problems.add(place.index, `${noun} does not exist: ${id}`, keys);
}

function checkCategory(place: Place, id: Referring['category_id'], { categories }: References) {
  if (!isSet(id)) return;
  const category = categories.get(id);
  if (category === undefined)
    addMissing(place, 'category ID', 'Invalid Category ID', 'category_id', id);
  else if (category.is_group)
    place.problems.add(place.index, `category ID is a category group: ${id}`, {
      ...{ error: 'Invalid Category ID', invalid_property: 'category_id', category_id: id },
      category_group_name: category.name,
    });
}

function checkAccounts(place: Place, sent: Referring, references: References): void {
  const { manual_account_id: manualId, plaid_account_id: plaidId } = sent;
  if (isSet(manualId) && !references.manualAccounts.has(manualId))
    addMissing(
      ...[place, 'manual account ID', 'Invalid Manual Account ID'],
      'manual_account_id',
      manualId,
    );
  if (isSet(plaidId)) checkPlaidAccount(place, plaidId, references);
  if (isSet(manualId) && isSet(plaidId))
    place.problems.add(place.index, 'must not have both manual_account_id and plaid_account_id', {
      ...{ error: 'Invalid Account', invalid_property: 'plaid_account_id' },
      ...{ manual_account_id: manualId, plaid_account_id: plaidId },
    });
}

function checkPlaidAccount(place: Place, id: number, { plaidAccounts }: References): void {
  const account = plaidAccounts.get(id);
  const keys = { error: 'Invalid Plaid Account ID', invalid_property: 'plaid_account_id' };
  if (account === undefined)
    addMissing(place, 'plaid account ID', keys.error, keys.invalid_property, id);
  else if (!account.allow_transaction_modifications)
    place.problems.add(
      place.index,
      `plaid account does not allow modifications to transactions: ${id}`,
      { ...keys, plaid_account_id: id },
    );
}

/** Returns an amount in ten-thousandths; 0 with a problem for an amount that is too large. */
export function checkedAmount({ problems, index }: Place, sent: number | string): number {
  const amount = parseAmountInput(sent);
  if (amount === null) {
    const text = `amount is too large: ${quote(String(sent))}`;
    problems.add(index, text, {
      error: 'Invalid Amount',
      invalid_property: 'amount',
      amount: sent,
    });
  }
  return amount ?? 0;
}

/** Returns a text, or null for an empty one, which means none. */
export function textOrNull(text: string | null | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

/** Returns `custom_metadata` as JSON; adds a problem if it is too long. */
export function checkedMetadata({ problems, index }: Place, sent: object | null): string | null {
  const json = sent === null ? null : JSON.stringify(sent);
  const length = json?.length ?? 0;
  if (length > maxCustomMetadataLength)
    problems.add(
      index,
      `custom_metadata must be at most ${maxCustomMetadataLength} characters as JSON, not ${length}`,
      { error: 'Invalid Custom Metadata', invalid_property: 'custom_metadata' },
    );
  return json;
}

/** Why a transaction can be neither changed nor deleted on its own, with the ids that say so. */
export interface Arrangement {
  readonly text: string;
  readonly keys: Readonly<Record<string, number>>;
}

/** Returns how a transaction is split or grouped, and what to do first; null if it is neither. */
export function arrangementOf(row: TransactionRow): Arrangement | null {
  const { id, is_split_parent, split_parent_id, is_group_parent, group_parent_id } = row;
  const parentId = is_split_parent ? id : split_parent_id;
  if (parentId !== null)
    return {
      text: `transaction ${id} is split. Unsplit it first with DELETE /v2/transactions/split/${parentId}`,
      keys: { split_parent_id: parentId },
    };
  const groupId = is_group_parent ? id : group_parent_id;
  if (groupId === null) return null;
  return {
    text: `transaction ${id} is grouped. Ungroup it first with DELETE /v2/transactions/group/${groupId}`,
    keys: { group_parent_id: groupId },
  };
}
