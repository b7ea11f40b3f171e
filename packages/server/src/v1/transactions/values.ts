import { isCalendarDate } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import { shorten } from '@coffer/core/text';
import { roundedAmount } from '../../operations/amounts.ts';
import { isCurrencyCode, type CurrencyCode } from '../../operations/currencies.ts';
import type { Steps } from '../../db/engine.ts';
import { given } from '../../db/table.ts';
import { Problem, type ErrorDetail } from '../../operations/problem.ts';
import { withoutNulls } from '../refusals.ts';
import { only } from '../../operations/schema.ts';
import type {
  TransactionInsert,
  TransactionUpdate,
} from '../../ledger/transactions/requests/bodies.ts';
import type { RowProblems } from '../../ledger/transactions/requests/checks.ts';
import type { TransactionValuesV1 } from './schema.ts';

/** Where problems of values are added, and what values depend on. */
export interface PlaceV1 {
  readonly problems: RowProblems;
  /** The place of the transaction in the request; null if the request has only one. */
  readonly index: number | null;
  /** Money out is sent as negative amounts. */
  readonly isNegated?: boolean;
  /** The ids of tags by their names. */
  readonly tagIds?: ReadonlyMap<string, number>;
}

const timestamp = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?$/;

/** Returns the day of a date or of a timestamp, which is not moved to another time zone. */
export function dayOf(place: PlaceV1, sent: string): string {
  const day = sent.slice(0, 10);
  if (timestamp.test(sent) && isCalendarDate(day)) return day;
  add(place, 'date', `must be in format YYYY-MM-DD: ${shorten(sent)}`);
  return '2000-01-01';
}

/** Returns an amount as v2 takes it: positive is money out. */
export function amountOf(place: PlaceV1, sent: number | string): string {
  const amount = roundedAmount(String(sent));
  if (amount === null) add(place, 'amount', `must be a number: ${shorten(String(sent))}`);
  return formatAmount(place.isNegated === true ? -(amount ?? 0) : (amount ?? 0));
}

function statusOf(place: PlaceV1, sent: string): 'reviewed' | 'unreviewed' {
  if (sent !== 'cleared' && sent !== 'uncleared')
    add(place, 'status', `must be either cleared or uncleared: ${shorten(sent)}`);
  return sent === 'cleared' ? 'reviewed' : 'unreviewed';
}

function currencyOf(place: PlaceV1, sent: string): CurrencyCode {
  const code = sent.toLowerCase();
  if (isCurrencyCode(code)) return code;
  add(place, 'currency', `is not supported: ${shorten(sent)}`);
  return 'eur';
}

function add({ problems, index }: PlaceV1, property: string, text: string): void {
  const error = `Invalid ${property}`;
  problems.add(index, `${property} ${text}`, { error, invalid_property: property });
}

/** Returns the values of a transaction by their names in v2. Null means that a value is not given. */
export function givenValues(
  place: PlaceV1,
  sent: TransactionValuesV1,
): Partial<TransactionInsert> & TransactionUpdate {
  const values = withoutNulls(sent);
  const { date, amount, currency, status, tags } = values;
  return given({
    ...only(values, ['payee', 'category_id', 'notes', 'external_id', 'recurring_id']),
    manual_account_id: values.asset_id,
    plaid_account_id: values.plaid_account_id,
    date: date === undefined ? date : dayOf(place, date),
    amount: amount === undefined ? amount : amountOf(place, amount),
    currency: currency === undefined ? currency : currencyOf(place, currency),
    status: status === undefined ? status : statusOf(place, status),
    tag_ids: tags?.map((tag) => (typeof tag === 'number' ? tag : place.tagIds!.get(tag)!)),
  });
}

/** Returns the names among the tags of transactions. */
export function tagNamesOf(all: readonly Pick<TransactionValuesV1, 'tags'>[]): string[] {
  return all.flatMap(({ tags }) => tags ?? []).filter((tag) => typeof tag === 'string');
}

/** Performs steps of v2. A Problem gets other texts, each of them once. */
export function* reworded<T>(steps: Steps<T>, textOf: (detail: ErrorDetail) => string): Steps<T> {
  try {
    return yield* steps;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const texts = new Set(error.details.map(textOf));
    throw new Problem(error.kind, { details: [...texts].map((errMsg) => ({ errMsg })) });
  }
}
