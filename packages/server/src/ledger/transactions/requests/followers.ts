import { isDeepStrictEqual } from 'node:util';
import { maxAmount } from '@coffer/core/money';
import type { Steps } from '../../../db/engine.ts';
import { find, select } from '../../../db/rows.ts';
import { transactions } from '../../../db/tables/tables.ts';
import * as groups from '../groups/group.ts';
import * as splits from '../split.ts';
import { draftOf } from './draft.ts';
import type { Draft } from './draft.ts';
import type { RowProblems } from './checks.ts';

/**
 * Adds the transactions that follow changed ones, which are not of the same split or group.
 *
 * A split keeps its sum: a new amount of the original changes its last part, and a new amount of a part changes the
 * last other part, or the original of a single part. Currency and account are those of the whole split. The group of a
 * changed member is added; what a group has from its members cannot be set.
 */
export function* withFollowers(problems: RowProblems, drafts: readonly Draft[]): Steps<Draft[]> {
  const all: Draft[] = [];
  for (const draft of drafts) {
    const { before } = draft;
    checkRecurring(problems, draft);
    if (before.is_split_parent || before.split_parent_id !== null)
      all.push(...(yield* splitAfter(problems, draft)));
    else if (before.is_group_parent) all.push({ ...draft, next: asGroup(draft) });
    else all.push(draft);
  }
  return all;
}

/** A transaction with a recurring item can be neither split nor grouped, so it gets none while it is. */
function checkRecurring(problems: RowProblems, { index, before, next }: Draft): void {
  const isWhole = before.is_split_parent || before.is_group_parent;
  if (!isWhole || next.recurring_id === null || before.recurring_id !== null) return;
  const keys = { error: 'Invalid Recurring ID', invalid_property: 'recurring_id' };
  problems.add(index, 'split and group transactions cannot have a recurring item', keys);
}

function asGroup({ before, next }: Draft): Draft['next'] {
  const { amount, currency, manual_account_id, plaid_account_id } = before;
  return { ...next, amount, currency, manual_account_id, plaid_account_id };
}

/** Returns the original of a changed original or part, and then its parts. */
function* splitAfter(problems: RowProblems, draft: Draft): Steps<Draft[]> {
  const { book_id, id: ownId, split_parent_id } = draft.before;
  const id = split_parent_id ?? ownId;
  const original = yield* find(transactions, { book_id, id });
  const parts = yield* splits.partsOf(book_id, id);
  const { currency, manual_account_id, plaid_account_id } = draft.next;
  const shared = { currency, manual_account_id, plaid_account_id };
  const all = [original!, ...parts].map((row): Draft => {
    const own = row.id === ownId ? draft : draftOf(row);
    return { ...own, next: { ...own.next, ...shared } };
  });
  const [, ...rest] = all;
  const absorbing = rest.findLast(({ next }) => next.id !== ownId) ?? all[0]!;
  const amount = restOf(all, absorbing);
  if (amount > BigInt(maxAmount) || amount < -BigInt(maxAmount))
    problems.add(draft.index, 'the rest of the split is larger than any amount can be', {
      error: 'Invalid Amount',
      invalid_property: 'amount',
    });
  return all.map((each) =>
    each === absorbing ? { ...each, next: { ...each.next, amount: Number(amount) } } : each,
  );
}

/** Returns the amount with which the parts have the amount of the original as their sum. */
function restOf([original, ...parts]: readonly Draft[], absorbing: Draft): bigint {
  const others = parts.filter((part) => part !== absorbing);
  const sum = others.reduce((total, { next }) => total + BigInt(next.amount), 0n);
  return absorbing === original ? sum : BigInt(original!.next.amount) - sum;
}

/**
 * Sets the `to_base` of parts and the totals of groups after changes, of which the other columns are complete. Returns
 * the changed transactions, and those followers that differ.
 */
export function* withTotals(
  problems: RowProblems,
  changed: readonly Draft[],
  drafts: readonly Draft[],
): Steps<Draft[]> {
  const all: Draft[] = [];
  for (const draft of drafts) {
    const { before, next } = draft;
    if (before.is_split_parent) {
      const parts = drafts.filter((each) => each.before.split_parent_id === before.id);
      all.push(draft, ...(yield* withShares(problems, draft, parts)));
    } else if (before.is_group_parent)
      all.push({ ...draft, next: { ...next, to_base: before.to_base } });
    else if (before.split_parent_id === null) all.push(draft);
    if (before.group_parent_id !== null && isMoved(draft))
      all.push(yield* groupAfter(problems, draft));
  }
  const own = new Set(changed.map(({ before }) => before));
  return all.filter(({ before, next }) => own.has(before) || !isDeepStrictEqual(before, next));
}

function isMoved({ before, next }: Draft): boolean {
  const names = ['amount', 'currency', 'to_base'] as const;
  return names.some((name) => before[name] !== next[name]);
}

/** The parts share the `to_base` of the original as when it was split. Without a new amount they keep theirs. */
function* withShares(
  problems: RowProblems,
  original: Draft,
  parts: readonly Draft[],
): Steps<Draft[]> {
  const isSame = ({ before, next }: Draft): boolean => before.amount === next.amount;
  const rows = parts.map(({ next }) => next);
  const shares =
    !isMoved(original) && parts.every(isSame)
      ? parts.map(({ before }) => before.to_base)
      : yield* splits.baseShares(original.next, rows);
  if (shares.some((share) => Math.abs(share) > maxAmount))
    problems.addWhole(splits.tooLarge.errMsg, {});
  return parts.map((part, at) => ({ ...part, next: { ...part.next, to_base: shares[at]! } }));
}

/** Returns the group of a changed member with its new total. */
function* groupAfter(problems: RowProblems, member: Draft): Steps<Draft> {
  const { id, book_id, group_parent_id } = member.before;
  const group = (yield* find(transactions, { book_id, id: group_parent_id! }))!;
  const members = yield* select(transactions, { book_id, group_parent_id: group.id });
  const total = yield* groups.totalOf(
    book_id,
    members.map((row) => (row.id === id ? member.next : row)),
  );
  if (total === null) problems.addWhole(groups.tooLarge.errMsg, {});
  return { index: null, before: group, next: { ...group, ...total } };
}
