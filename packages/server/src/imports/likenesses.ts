import { daysApart } from '@coffer/core/dates';
import type { AccountRows } from './account-rows.ts';
import { plainId } from './bank-ids.ts';
import type { Candidate } from './candidate.ts';
import { hasForm, isSameMoney, isSameText } from './forms.ts';
import type { KnownRow } from './forms.ts';
import { mostDaysPending } from './pending.ts';

/** With fewer days between them, two dates with the same id and amount are one transaction with a corrected date. */
const fewestDaysApart = 7;

/** The kinds of a match within a format, the most certain first. */
export const likenesses: readonly {
  readonly find: (candidate: Candidate, rows: AccountRows) => KnownRow | undefined;
  readonly why: string;
}[] = [
  { find: (each, rows) => freeOf(each, rows).find((row) => isText(row, each)), why: 'same id' },
  {
    find: (each, rows) => freeOf(each, rows).find((row) => isSameMoney(row, each)),
    why: 'same id, date and amount',
  },
  { find: corrected, why: 'same id, corrected' },
  { find: textWithoutId, why: 'same date, amount and payee' },
];

/** The free rows under the id of an entry. */
export function freeOf({ ofId }: Candidate, rows: AccountRows): KnownRow[] {
  return ofId?.filter((row) => rows.isFree(row)) ?? [];
}

function isText(row: KnownRow, candidate: Candidate): boolean {
  return isSameText(row, candidate) || row.forms.some((form) => isSameText(form, candidate));
}

/** The row with the plain id, if the bank or the user may have corrected its date or its amount. */
function corrected(candidate: Candidate, rows: AccountRows): KnownRow | undefined {
  const { bankId } = candidate;
  if (bankId === null) return undefined;
  const id = plainId(bankId);
  return freeOf(candidate, rows).find((row) => isOfId(row, id) && mayBeCorrected(row, candidate));
}

function isOfId(row: KnownRow, id: string): boolean {
  return row.externalId === id || row.forms.some(({ externalId }) => externalId === id);
}

/** The same day and payee, or the same amount within a week. A pending transaction may be posted with any amount. */
function mayBeCorrected(row: KnownRow, candidate: Candidate): boolean {
  if (row.currency !== candidate.currency) return false;
  const days = daysApart(row.date, candidate.date);
  if (row.isPending !== candidate.isPending) return days <= mostDaysPending;
  if (days === 0 && row.payee === candidate.payee) return true;
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
