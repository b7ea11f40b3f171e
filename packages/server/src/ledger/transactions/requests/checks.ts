import { quote } from '@coffer/core/text';
import { parseAmountInput } from '../../../operations/amounts.ts';
import { maxCustomMetadataLength } from '../../../operations/limits.ts';
import { type TransactionRow, removeTransactions } from '../writes.ts';
import { type References, type Referring, recordsById } from '../references.ts';
import { Problem, type ErrorDetail, bodyProblem } from '../../../operations/problem.ts';
import sql, { join } from 'sql-template-tag';
import { blocksOf, padded } from '../../../db/blocks.ts';
import type { Steps } from '../../../db/engine.ts';
import { rowsAs } from '../../../db/rows.ts';
import { integer, nullable, text } from '../../../db/table.ts';
import type { Change } from '../../../book/change.ts';
import { transactions } from '../../../db/tables/tables.ts';
import { recordOf } from '../../../operations/records.ts';

/** An external id in a manual account. */
export interface ExternalKey {
  readonly manual_account_id?: number | null;
  readonly external_id?: string | null;
}

/** A transaction with an external id. */
interface Holder extends ExternalKey {
  readonly id: number;
}

/** Returns a text that is equal for the same external id in the same manual account; null without id or account. */
export function keyOf({ manual_account_id, external_id }: ExternalKey): string | null {
  if (manual_account_id === undefined || manual_account_id === null) return null;
  return external_id === undefined || external_id === null || external_id === ''
    ? null
    : `${manual_account_id} ${external_id}`;
}

const shape = { id: integer, manual_account_id: nullable(integer), external_id: text };

/** Returns the transactions that have the external ids in the same manual accounts, by {@link keyOf}. */
export function* holdersOf(
  bookId: number,
  all: readonly ExternalKey[],
): Steps<ReadonlyMap<string, Holder>> {
  const wanted = all.filter((each) => keyOf(each) !== null).map((each) => each.external_id!);
  const holders = new Map<string, Holder>();
  for (const block of blocksOf([...new Set(wanted)])) {
    const found = yield* rowsAs(
      shape,
      sql`SELECT id, manual_account_id, external_id FROM transactions
        WHERE book_id = ${bookId} AND external_id IN (${join(padded(block, block[0]!))})`,
    );
    for (const holder of found) {
      const key = keyOf(holder);
      if (key !== null) holders.set(key, holder);
    }
  }
  return holders;
}

/** A transaction of a request, with its place there. */
interface PlacedKey {
  readonly index: number;
  readonly key: ExternalKey;
}

/** Adds a problem for each external id that several transactions of a request have in one account. */
export function checkRepeated(problems: RowProblems, all: readonly PlacedKey[]): void {
  for (const [key, alike] of Map.groupBy(all, (each) => keyOf(each.key)))
    if (key !== null && alike.length > 1)
      problems.addWhole('Duplicate External IDs found in the request body', {
        error: 'Duplicate External ID',
        transaction_property: 'external_id',
        external_id: alike[0]!.key.external_id,
        transactions_indices: alike.map(({ index }) => index),
      });
}

/** A transaction before and after the updates of a request. */
export interface Moved<T extends Holder = Holder> {
  /** The place of its last update in the request; null if the request has only one. */
  readonly index: number | null;
  readonly before: T;
  readonly next: T;
}

/** Checks that external ids are unique in their accounts after all updates of a request. */
export function* checkMoved(
  bookId: number,
  problems: RowProblems,
  all: readonly Moved[],
): Steps<void> {
  const moved = all.filter(hasNewKey);
  checkRepeated(
    problems,
    moved.map(({ index, next }) => ({ index: index ?? 0, key: next })),
  );
  const holders = yield* holdersOf(
    bookId,
    moved.map(({ next }) => next),
  );
  const nextById = new Map(all.map(({ next }) => [next.id, next]));
  for (const { index, next } of moved) {
    const { manual_account_id, external_id } = next;
    const holder = holders.get(keyOf(next)!);
    // The holder may get another external id in the same request.
    if (holder === undefined || keyOf(nextById.get(holder.id) ?? holder) !== keyOf(next)) continue;
    problems.add(index, `external ID exists in the manual account: ${quote(external_id!)}`, {
      error: 'Duplicate External ID',
      invalid_property: 'external_id',
      external_id,
      manual_account_id,
      existing_transaction_id: holder.id,
    });
  }
}

/** Returns the rows whose external ids other rows get. They must lose them first, because an index is unique. */
export function releasedRows<T extends Holder>(all: readonly Moved<T>[]): T[] {
  const claimed = new Set(all.filter(hasNewKey).map(({ next }) => keyOf(next)));
  return all.map(({ before }) => before).filter((before) => claimed.has(keyOf(before)));
}

function hasNewKey({ before, next }: Moved): boolean {
  return keyOf(next) !== null && keyOf(next) !== keyOf(before);
}

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
          error: 'Invalid Tag ID',
          invalid_property: property,
          tag_id: id,
          [`${property}_index`]: at,
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
      error: 'Invalid Category ID',
      invalid_property: 'category_id',
      category_id: id,
      category_group_name: category.name,
    });
}

function checkAccounts(place: Place, sent: Referring, references: References): void {
  const { manual_account_id: manualId, plaid_account_id: plaidId } = sent;
  if (isSet(manualId) && !references.manualAccounts.has(manualId))
    addMissing(
      place,
      'manual account ID',
      'Invalid Manual Account ID',
      'manual_account_id',
      manualId,
    );
  if (isSet(plaidId)) checkPlaidAccount(place, plaidId, references);
  if (isSet(manualId) && isSet(plaidId))
    place.problems.add(place.index, 'must not have both manual_account_id and plaid_account_id', {
      error: 'Invalid Account',
      invalid_property: 'plaid_account_id',
      manual_account_id: manualId,
      plaid_account_id: plaidId,
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

/** The keys of a problem: its class, the property, and the wrong value under its own name. */
type Keys = Readonly<Record<string, unknown>> & { readonly error: string };

/** All problems of a request about one or more transactions. */
export class RowProblems {
  readonly details: ErrorDetail[] = [];
  readonly #nameOf: (index: number) => string;

  /** `nameOf` returns how texts name the transaction at a place of the request. */
  constructor(nameOf = (index: number): string => `transactions[${index}]`) {
    this.#nameOf = nameOf;
  }

  /** Adds a problem. `index` is the place of the transaction in the request; null if the request has only one. */
  add(index: number | null, text: string, keys: Keys): void {
    if (index === null) this.addWhole(text[0]!.toUpperCase() + text.slice(1), keys);
    else this.addWhole(`${this.#nameOf(index)} ${text}`, { transaction_index: index, ...keys });
  }

  /** Adds a problem of several transactions together. */
  addWhole(errMsg: string, keys: Readonly<Record<string, unknown>>): void {
    this.details.push({ errMsg, ...keys });
  }

  /** Throws a Problem with all problems, if there are any. */
  throwIfAny(): void {
    if (this.details.length > 0) throw new Problem('validation', { details: this.details });
  }
}

/** Deletes a transaction. Throws a Problem if it does not exist, or is split or grouped. */
export function* deleteTransaction(change: Change, id: number): Steps<void> {
  const row = yield* recordOf(transactions, 'transaction', change.bookId, id);
  const arrangement = arrangementOf(row);
  if (arrangement !== null) {
    const errMsg = `The ${arrangement.text}`;
    throw new Problem('validation', {
      details: [{ errMsg, transaction_id: id, ...arrangement.keys }],
    });
  }
  yield* removeTransactions(change, [row]);
}

/**
 * Deletes transactions. Throws a Problem, and deletes none of them, if an id is repeated or unknown, or if one is split
 * or grouped. The status is 404 only if unknown ids are the only problem.
 */
export function* deleteTransactions(change: Change, ids: readonly number[]): Steps<void> {
  const found = yield* recordsById(transactions, change.bookId, [...new Set(ids)]);
  const refused = [...repeatedIds(ids), ...arrangedIds(ids, found)];
  const unknown = ids.flatMap((id, index) => (found.has(id) ? [] : [unknownId(id, index)]));
  if (refused.length > 0) throw bodyProblem(...refused, ...unknown);
  if (unknown.length > 0) throw new Problem('unknownRecords', { details: unknown });
  yield* removeTransactions(change, [...found.values()]);
}

function repeatedIds(ids: readonly number[]): ErrorDetail[] {
  const repeated = Map.groupBy(ids.entries(), ([, id]) => id);
  return ids.flatMap((id, index) => {
    if (repeated.get(id)!.length === 1) return [];
    const errMsg = `Duplicate transaction ID found: ${id}`;
    return [{ errMsg, transaction_id: id, ids_index: index, invalid_property: 'ids' }];
  });
}

function arrangedIds(
  ids: readonly number[],
  found: ReadonlyMap<number, TransactionRow>,
): ErrorDetail[] {
  return ids.flatMap((id, index) => {
    const row = found.get(id);
    const arrangement = row === undefined ? null : arrangementOf(row);
    if (arrangement === null) return [];
    const keys = { transaction_id: id, ids_index: index, invalid_property: 'ids' };
    return [{ errMsg: `ids[${index}] ${arrangement.text}`, ...keys, ...arrangement.keys }];
  });
}

function unknownId(id: number, index: number): ErrorDetail {
  return { errMsg: `There is no transaction with the id: ${id}`, ids_index: index, id };
}
