import { daysApart } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import type { AccountRows } from './account-rows.ts';
import { plainId } from './bank-ids.ts';
import type { Candidate } from './candidate.ts';
import { hasForm, isSameMoney, isSameText, isSimilarPayee, untouchedFirst } from './forms.ts';
import type { Form, KnownRow } from './forms.ts';
import { mostDaysPending } from './pending.ts';

/** With fewer days between them, two dates with the same id and amount are one transaction with a corrected date. */
const fewestDaysApart = 7;

/** A kind of a match within a format. */
interface Likeness {
  readonly find: (candidate: Candidate, rows: AccountRows) => KnownRow | undefined;
  readonly why: string;
  /** Returns what the entry says otherwise than the row: then the user decides. */
  readonly differenceOf?: (candidate: Candidate, row: KnownRow) => string;
}

/** The kinds of a match within a format, the most certain first. */
export const likenesses: readonly Likeness[] = [
  { find: (each, rows) => freeOf(each, rows).find((row) => isText(row, each)), why: 'same id' },
  {
    find: (each, rows) => freeOf(each, rows).find((row) => isSameMoney(row, each)),
    why: 'same id, date and amount',
  },
  { find: corrected, why: 'same id, corrected' },
  {
    find: withOtherAmount,
    why: 'same id, other amount',
    differenceOf: (each, row) =>
      `same id, but the amount is ${moneyOf(each, row)} instead of ${moneyOf(row, each)}`,
  },
  { find: textWithoutId, why: 'same date, amount and payee' },
];

/** The free rows under the id of an entry; those that a user changed or deleted come last. */
export function freeOf({ ofId }: Candidate, rows: AccountRows): KnownRow[] {
  return untouchedFirst(ofId?.filter((row) => rows.isFree(row)) ?? []);
}

function isText(row: KnownRow, candidate: Candidate): boolean {
  return isSameText(row, candidate) || row.forms.some((form) => isSameText(form, candidate));
}

/** The row with the plain id, if the bank or the user may have corrected its date, or if it is posted now. */
function corrected(candidate: Candidate, rows: AccountRows): KnownRow | undefined {
  return ofPlainId(candidate, rows).find((row) => mayBeCorrected(row, candidate));
}

/** An amount, with its currency where another one has another. */
function moneyOf({ amount, currency }: Form, other: Form): string {
  const unit = currency === other.currency ? '' : ` ${currency.toUpperCase()}`;
  return `${formatAmount(amount)}${unit}`;
}

/**
 * The row with the plain id of which the bank or the user has corrected the amount or its currency, and perhaps the
 * date.
 */
function withOtherAmount(candidate: Candidate, rows: AccountRows): KnownRow | undefined {
  return ofPlainId(candidate, rows).find(
    (row) =>
      row.isPending === candidate.isPending &&
      isSimilarPayee(row.payee, candidate.payee) &&
      daysApart(row.date, candidate.date) < fewestDaysApart,
  );
}

function ofPlainId(candidate: Candidate, rows: AccountRows): KnownRow[] {
  const { bankId } = candidate;
  if (bankId === null) return [];
  const id = plainId(bankId);
  return freeOf(candidate, rows).filter((row) => isOfId(row, id));
}

function isOfId(row: KnownRow, id: string): boolean {
  return row.externalId === id || row.forms.some(({ externalId }) => externalId === id);
}

/** The same amount within a week. A pending transaction may be posted with any amount. */
function mayBeCorrected(row: KnownRow, candidate: Candidate): boolean {
  if (row.currency !== candidate.currency) return false;
  const days = daysApart(row.date, candidate.date);
  if (row.isPending !== candidate.isPending) return days <= mostDaysPending;
  return row.amount === candidate.amount && days < fewestDaysApart;
}

/**
 * The row with the same text of which the id is not known, on one side at least. Two ids of one format are two
 * transactions.
 */
function textWithoutId(candidate: Candidate, rows: AccountRows): KnownRow | undefined {
  const alike = rows.withText(candidate).filter((row) => hasForm(row, candidate));
  const isFree = (row: KnownRow): boolean =>
    candidate.externalId === null || row.forms.every(({ externalId }) => externalId === null);
  return alike.find((row) => isFree(row) && isWithoutId(row)) ?? alike.find(isFree);
}

/** Whether no file had an id for a row. */
export function isWithoutId({ externalId, forms }: KnownRow): boolean {
  return externalId === null && forms.every((form) => form.externalId === null);
}
