import { addDays, earliestDate, latestDate } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import type { BalanceAnchor, Days } from './anchors.ts';

/** A balance that is known for the end of a day; debts are negative. */
export type KnownBalance = Pick<
  BalanceAnchor,
  'id' | 'day' | 'source' | 'balance' | 'ahead' | 'set_at'
>;

/** What transactions add to an account on a day, in ten-thousandths of its currency; money in is positive. */
export interface DaySum {
  readonly date: string;
  readonly sum: bigint;
  readonly rows: number;
}

/**
 * `proved`: the transactions after one balance make the next. `broken`: they do not. `moved`: they do not, but a request
 * has set or moved the later balance, and no statement, bank or user says it.
 */
export type ProofState = 'proved' | 'broken' | 'moved';

/** The days after one known balance, up to the next. */
export interface Stretch {
  readonly from: KnownBalance;
  readonly to: KnownBalance;
  readonly rows: number;
  /** The later balance, less what the transactions make of the earlier one. */
  readonly difference: bigint;
  readonly state: ProofState;
}

/**
 * Compares each known balance of an account with the one before and the transactions between them.
 *
 * Balances that requests have moved say less than those of statements, users and banks: between two of these they are
 * left out, and only the last one of each end is compared. `anchors` are sorted by day, and on one day by the time when
 * they were set; `days` by date.
 */
export function prove(anchors: readonly KnownBalance[], days: readonly DaySum[]): Stretch[] {
  const points = pointsOf(anchors);
  const stretches: Stretch[] = [];
  let at = 0;
  const take = (day: string): { sum: bigint; rows: number } => {
    const taken = { sum: 0n, rows: 0 };
    for (; at < days.length && days[at]!.date <= day; at += 1) {
      taken.sum += days[at]!.sum;
      taken.rows += days[at]!.rows;
    }
    return taken;
  };
  for (const [nth, to] of points.entries()) {
    const { sum, rows } = take(to.day);
    const from = points[nth - 1];
    if (from === undefined) continue;
    const difference = ofDay(to) - ofDay(from) - sum;
    stretches.push({ from, to, rows, difference, state: stateOf(from, to, difference) });
  }
  return stretches;
}

/** What an account has of transactions up to the day. */
function ofDay({ balance, ahead }: KnownBalance): bigint {
  return BigInt(balance) - BigInt(ahead);
}

function stateOf(from: KnownBalance, to: KnownBalance, difference: bigint): ProofState {
  if (difference === 0n) return 'proved';
  return from.source === 'api' || to.source === 'api' ? 'moved' : 'broken';
}

/**
 * Returns the days whose transactions decide the balances on some days, both ends inclusive, and the stretches that
 * contain them: from the last compared anchor before these days to the first one at or after their end.
 */
export function daysAround(
  anchors: readonly KnownBalance[],
  start: string,
  end: string,
): Required<Days> {
  const points = pointsOf(anchors);
  const isBefore = ({ day }: KnownBalance): boolean => day < start;
  const from = points.findLast(isBefore) ?? anchors.findLast(isBefore);
  const to = points.find(({ day }) => day >= end);
  const first = start === earliestDate ? null : addDays(start, -1);
  return {
    after: from?.day ?? first,
    upTo: to?.day ?? (anchors.length === 0 ? latestDate : end),
  };
}

/** What the stretches of an account say together. */
export interface ProofSummary {
  /** `unknown`: no two balances are known. */
  readonly state: 'unknown' | 'proved' | 'broken';
  /** The day up to which all is proved. */
  readonly proved_until: string | null;
  /** The first day on which a balance is wrong. */
  readonly broken_on: string | null;
  /** By how much it is wrong there, as on the wire. */
  readonly difference: string | null;
}

/** Returns what the stretches of an account, ascending, say together. */
export function summaryOf(stretches: readonly Stretch[]): ProofSummary {
  const claimed = stretches.filter(({ state }) => state !== 'moved');
  const broken = claimed.find(({ state }) => state === 'broken');
  const before = claimed.slice(0, broken === undefined ? undefined : claimed.indexOf(broken));
  const known = claimed.length === 0 ? 'unknown' : 'proved';
  return {
    state: broken === undefined ? known : 'broken',
    proved_until: before.at(-1)?.to.day ?? null,
    broken_on: broken?.to.day ?? null,
    difference: broken === undefined ? null : formatAmount(broken.difference),
  };
}

/** The last claim of each day, with the last balance of requests before the first claim and after the last one. */
function pointsOf(anchors: readonly KnownBalance[]): KnownBalance[] {
  const claims = lastOfDays(anchors.filter(({ source }) => source !== 'api'));
  const moved = lastOfDays(anchors.filter(({ source }) => source === 'api'));
  const [first, last] = [claims[0], claims.at(-1)];
  if (first === undefined || last === undefined) return moved;
  const before = moved.findLast(({ day }) => day < first.day);
  const after = moved.findLast(({ day }) => day > last.day);
  return [...(before ? [before] : []), ...claims, ...(after ? [after] : [])];
}

function lastOfDays(anchors: readonly KnownBalance[]): KnownBalance[] {
  return [...new Map(anchors.map((each) => [each.day, each])).values()];
}

/** A transaction near a stretch that is not proved; its amount as the account moves by it. */
export interface NearRow {
  readonly id: number;
  readonly date: string;
  readonly amount: number;
  readonly payee: string;
  readonly isPending: boolean;
}

/**
 * `doubled`: of two equal transactions one is too much. `turned`: the sign is wrong. `pending`: the bank has booked it.
 * `outside`: it belongs into these days. `extra`: the bank may not have it. `missing`: nothing near it explains it: a
 * transaction, a day or an amount is missing.
 */
export type ExplanationKind = 'doubled' | 'turned' | 'pending' | 'outside' | 'extra' | 'missing';

/** What would explain the difference of a stretch. */
export interface Explanation {
  readonly kind: ExplanationKind;
  /** Ascending. */
  readonly ids: readonly number[];
}

/** Returns what would explain the difference of a stretch, the likely first. `rows` are near it. */
export function explain(
  { from, to, difference }: Stretch,
  rows: readonly NearRow[],
): Explanation[] {
  const inside = rows.filter(({ date }) => date > from.day && date <= to.day);
  const booked = inside.filter(({ isPending }) => !isPending);
  const is = (times: bigint) => (row: NearRow) => BigInt(row.amount) * times === difference;
  const found: Explanation[] = [];
  const extra = booked.filter(is(-1n));
  for (const alike of Map.groupBy(extra, ({ date, payee }) => `${date} ${payee}`).values())
    if (alike.length > 1) found.push({ kind: 'doubled', ids: idsOf(alike) });
  const pending = inside.filter((row) => row.isPending && is(1n)(row));
  const outside = rows.filter((row) => !inside.includes(row) && !row.isPending && is(1n)(row));
  for (const row of pending) found.push({ kind: 'pending', ids: [row.id] });
  for (const row of outside) found.push({ kind: 'outside', ids: [row.id] });
  for (const row of booked.filter(is(-2n))) found.push({ kind: 'turned', ids: [row.id] });
  const doubled = new Set(found.filter(({ kind }) => kind === 'doubled').flatMap(({ ids }) => ids));
  for (const { id } of extra) if (!doubled.has(id)) found.push({ kind: 'extra', ids: [id] });
  return found.length > 0 ? found : [{ kind: 'missing', ids: [] }];
}

function idsOf(rows: readonly NearRow[]): number[] {
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}

/**
 * Returns the balance of each of some days, ascending: that of the nearest anchor at or before the day, and what the
 * transactions since add; before the first anchor, that less what they add until then. Without an anchor, `present` is
 * the balance after all transactions.
 */
export function balancesOn(
  wanted: readonly string[],
  anchors: readonly Pick<BalanceAnchor, 'day' | 'balance' | 'ahead'>[],
  days: readonly DaySum[],
  present: bigint,
): bigint[] {
  const total = days.reduce((sum, day) => sum + day.sum, 0n);
  // By how much the balance after each anchor is above the sum of all transactions up to there.
  let offset = present - total;
  const first = anchors[0];
  if (first !== undefined) offset = BigInt(first.balance) - sumUpTo(days, first.day);
  let [nextDay, nextAnchor, sum] = [0, 0, 0n];
  return wanted.map((day) => {
    let onDay: bigint | null = null;
    for (;;) {
      const anchor = anchors[nextAnchor];
      const until = anchor !== undefined && anchor.day <= day ? anchor.day : day;
      for (; nextDay < days.length && days[nextDay]!.date <= until; nextDay += 1)
        sum += days[nextDay]!.sum;
      if (anchor === undefined || anchor.day > day) break;
      offset = BigInt(anchor.balance) - BigInt(anchor.ahead) - sum;
      onDay = anchor.day === day ? BigInt(anchor.balance) : null;
      nextAnchor += 1;
    }
    return onDay ?? offset + sum;
  });
}

function sumUpTo(days: readonly DaySum[], last: string): bigint {
  let sum = 0n;
  for (const day of days) if (day.date <= last) sum += day.sum;
  return sum;
}
