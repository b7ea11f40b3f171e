import { dayNumber, daysApart } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import {
  accountIdOf,
  hasForm,
  isSameMoney,
  isSameText,
  moneyKey,
  noMatch,
  sharedId,
  isSimilarPayee,
  untouchedFirst,
  plainId,
} from './comparison.ts';
import type { ResolvedEntry, Comparison, Edit, Form, ExistingRow } from './comparison.ts';
import type { AccountRows, ExistingRows } from './existing-rows.ts';
import { mostDaysPending, pairStates, clustersOf, noteDates, pairCluster } from './pairing.ts';
import type { Cluster, DateAgreement, DateRange, Pairing } from './pairing.ts';

/** How many entries may wait for the end of the file, so that memory does not grow with the file. */
const mostWaiting = 20_000;

/** Entries whose dates are so many days from the last one that was read are not affected by the rest of the file. */
const farDays = 21;

type Compared = readonly [entry: ResolvedEntry, comparison: Comparison];

/**
 * Decides which entries of a file the book has already. Each row of the book is claimed by one entry at most, so an
 * entry that another one may have a better right to waits: see `docs/reference/statements.md` for the rules, in their
 * order.
 */
export class Matcher {
  readonly #rows: ExistingRows;
  readonly #agreement: DateAgreement = { equal: 0, different: 0 };
  /** By account. */
  readonly #ranges = new Map<number | null, DateRange>();
  #waiting: ResolvedEntry[] = [];

  constructor(rows: ExistingRows) {
    this.#rows = rows;
  }

  /** Notes the date of an entry. All entries of the file must be noted before they are compared. */
  note(account: number | null, date: string): void {
    const range = this.#ranges.get(account);
    if (range === undefined) this.#ranges.set(account, { first: date, last: date });
    else if (date < range.first) range.first = date;
    else if (date > range.last) range.last = date;
  }

  /** Matches an entry with the row that has its id, and is equal to it, state included. */
  matchId(entry: ResolvedEntry): Comparison | null {
    if (entry.externalId === null) return null;
    const row = this.#of(entry).withId(entry.externalId);
    if (row === undefined) return null;
    // A row that a user changed is left to rows that are as a file had them, unless the file says the same now.
    const isSame = row.edit === null ? isEqual(row, entry) : agrees(row, entry);
    return isSame ? this.#matched(entry, row, 'same id') : null;
  }

  /** Matches an entry with a row that has the same id and content, and whose id others share. */
  matchSharedId(entry: ResolvedEntry): Comparison | null {
    const { bankId, raw, currency } = entry;
    const free = freeOf(entry, this.#of(entry));
    if (bankId === null || free.length === 0) return null;
    const id = sharedId(bankId, raw);
    const row = free.find(
      (each) => each.edit === null && each.externalId === id && each.currency === currency,
    );
    return row === undefined ? null : this.#matched(entry, row, 'same id');
  }

  /** Matches an entry without an id with a row that is equal to it in every way, state included. */
  matchText(entry: ResolvedEntry): Comparison | null {
    if (entry.externalId !== null) return null;
    const rows = this.#of(entry).withText(entry);
    const row = rows.find(
      (each) => each.edit === null && isWithoutId(each) && hasForm(each, entry),
    );
    return row === undefined ? null : this.#matched(entry, row, 'same date, amount and payee');
  }

  /** Decides about an entry whose rows are loaded, or lets it wait for {@link decideWaiting}. */
  matchOrWait(entry: ResolvedEntry): Comparison | null {
    const rows = this.#of(entry);
    const mayBeKnown =
      freeOf(entry, rows).length > 0 ||
      rows.withText(entry).length > 0 ||
      rows.foreign(entry).length > 0 ||
      rows.sameMoney(entry).length > 0 ||
      rows.hasPending ||
      entry.isPending;
    if (!mayBeKnown) return noMatch;
    this.#waiting.push(entry);
    return null;
  }

  /** Whether so many entries wait that some must be decided before the end of the file. */
  get isFull(): boolean {
    return this.#waiting.length >= mostWaiting;
  }

  /**
   * Decides about the waiting entries; with `near`, only about those with dates far from it. They are in file order,
   * but those in doubt come last.
   */
  decideWaiting(near?: string): Compared[] {
    const isLeft = ({ date }: ResolvedEntry): boolean =>
      near !== undefined && Math.abs(dayNumber(date) - dayNumber(near)) <= farDays;
    const far = this.#waiting.filter((each) => !isLeft(each));
    // A file with more entries in three weeks.
    const batch = far.length > 0 ? far : this.#waiting;
    this.#waiting = far.length > 0 ? this.#waiting.filter(isLeft) : [];
    const found = new Map<ResolvedEntry, Comparison>();
    const decide = (find: (left: ResolvedEntry[]) => void): void =>
      find(batch.filter((each) => !found.has(each)));
    for (const { find, why, differenceOf } of matchRules)
      decide((left) => {
        for (const entry of left) {
          const row = find(entry, this.#of(entry));
          if (row === undefined) continue;
          const difference = differenceOf?.(entry, row);
          const comparison =
            difference === undefined
              ? this.#matched(entry, row, why)
              : this.#different(entry, row, difference);
          found.set(entry, comparison);
        }
      });
    decide((left) => this.#pairFormats(left, found));
    decide((left) => this.#pairStates(left, found));
    decide((left) => this.#findPossible(left, found));
    const all = batch.map((each): Compared => [each, found.get(each) ?? noMatch]);
    return [...all.filter(isSure), ...all.filter((each) => !isSure(each))];
  }

  /** Finds entries that the book has from files of other formats. */
  #pairFormats(left: readonly ResolvedEntry[], found: Map<ResolvedEntry, Comparison>): void {
    const clusters: { account: number | null; cluster: Cluster<ExistingRow, ResolvedEntry> }[] = [];
    const posted = left.filter(({ isPending }) => !isPending);
    for (const [account, own] of Map.groupBy(posted, accountIdOf))
      for (const alike of Map.groupBy(own, moneyKey).values()) {
        const foreign = this.#rows.of(account).foreign(alike[0]!);
        const rows = foreign.filter(({ relation }) => relation === 'other');
        for (const cluster of clustersOf(rows, alike)) {
          clusters.push({ account, cluster });
          noteDates(this.#agreement, cluster);
        }
      }
    for (const { account, cluster } of clusters) {
      const range = this.#ranges.get(account)!;
      for (const [entry, pairing] of pairCluster(cluster, range, this.#agreement))
        found.set(entry, this.#paired(entry, pairing, formatWords));
    }
  }

  /** Finds pending rows that are posted now, and pending entries that were posted before. */
  #pairStates(left: readonly ResolvedEntry[], found: Map<ResolvedEntry, Comparison>): void {
    for (const [account, own] of Map.groupBy(left, accountIdOf)) {
      const rows = this.#rows.of(account);
      const pending = own.filter(({ isPending }) => isPending);
      const posted = own.filter(({ isPending }) => !isPending);
      if (rows.hasPending)
        for (const [entry, pairing] of pairStates(rows.pending, posted))
          found.set(entry, this.#paired(entry, pairing, postingWords));
      if (pending.length === 0) continue;
      const days = pending.map(({ date }) => dayNumber(date));
      const last = -least(days.map((day) => -day)) + mostDaysPending;
      const around = [...rows.between(least(days) - mostDaysPending, last)];
      const others = around.filter(({ forms }) => !forms.some((form) => form.isPending));
      for (const [entry, pairing] of pairStates(others, pending))
        found.set(entry, this.#paired(entry, pairing, pendingWords));
    }
  }

  /** Finds rows that the rest may be. */
  #findPossible(left: readonly ResolvedEntry[], found: Map<ResolvedEntry, Comparison>): void {
    for (const entry of left) {
      const rows = this.#of(entry);
      const ofId = freeOf(entry, rows).find(
        (row) => row.date === entry.date && row.currency === entry.currency,
      );
      const unclear = rows.foreign(entry).find((row) => isUnclear(row, entry));
      const alike = rows.sameMoney(entry);
      const possible = entry.isPending ? [...rows.pending, ...alike] : alike;
      const changed = possible.find((row) => mayHaveOtherText(row, entry));
      const agreed = rows.withText(entry).find((row) => agrees(row, entry));
      const row = ofId ?? agreed ?? unclear ?? changed;
      if (row === undefined) continue;
      if (row === agreed) found.set(entry, this.#different(entry, row, sameNow));
      else {
        const why = row === ofId ? usedId : row === unclear ? unknownOrigin : otherText;
        found.set(entry, { verdict: 'doubtful', row, why: withEdit(why, row) });
      }
    }
  }

  #paired(
    entry: ResolvedEntry,
    { row, isCertain }: Pairing<ExistingRow>,
    words: Words,
  ): Comparison {
    // A row in doubt stays free, because it may certainly be another entry.
    return isCertain
      ? this.#matched(entry, row, words.certain)
      : { verdict: 'doubtful', row, why: withEdit(words.doubtful, row) };
  }

  #matched(entry: ResolvedEntry, row: ExistingRow, why: string): Comparison {
    const isPosted = row.isPending && !entry.isPending;
    const { edit } = row;
    // A pending row that a user changed is posted all the same.
    const isAsSaid = edit === null || agrees(row, entry) || (isPosted && isStillPending(edit));
    if (!isAsSaid) return this.#different(entry, row);
    this.#rows.claim(accountIdOf(entry), row);
    return { verdict: isPosted ? 'replaces' : 'known', row, why };
  }

  /** The entry is this row, but the book has it otherwise, or no longer. */
  #different(entry: ResolvedEntry, row: ExistingRow, why?: string): Comparison {
    this.#rows.claim(accountIdOf(entry), row);
    return { verdict: 'doubtful', row, why: withEdit(why ?? null, row), isLeftOut: true };
  }

  #of(entry: ResolvedEntry): AccountRows {
    return this.#rows.of(accountIdOf(entry));
  }
}

/** Words for a pair of which we are certain, or not. */
interface Words {
  readonly certain: string;
  readonly doubtful: string;
}

const sameNow = 'same date, amount and payee as it has now';
const usedId = 'the id is that of a transaction with another payee and amount';
const unknownOrigin = 'same date and amount, of unknown origin';
const otherText = 'same date and amount, and the file has it with no other payee';
const formatWords: Words = {
  certain: 'same amount in a file of another format',
  doubtful: 'same amount in a file of another format, but other dates fit, too',
};
const postingWords: Words = {
  certain: 'it was pending',
  doubtful: 'it may be one of several pending transactions',
};
const pendingWords: Words = {
  certain: 'it is posted already',
  doubtful: 'it may be posted already',
};

function isSure([, { verdict }]: Compared): boolean {
  return verdict !== 'doubtful';
}

function isEqual(row: ExistingRow, entry: ResolvedEntry): boolean {
  return (row.isPending === entry.isPending && isSameText(row, entry)) || hasForm(row, entry);
}

/** Whether an entry is as a user made a row. */
function agrees({ edit }: ExistingRow, entry: ResolvedEntry): boolean {
  const now = edit?.now ?? null;
  return now !== null && isSameText(now, entry);
}

function isStillPending({ now }: Edit): boolean {
  return now?.isPending === true;
}

/** Returns a reason, and what a user did to the row. */
function withEdit(why: string | null, { edit }: ExistingRow): string {
  return [...(why === null ? [] : [why]), ...(edit === null ? [] : [edit.why])].join('; ');
}

/** Whether a row whose origin is not known may be the entry. */
function isUnclear(row: ExistingRow, entry: ResolvedEntry): boolean {
  return row.relation === 'unknown' && isSameMoney(row, entry);
}

/** Whether a row that the file should have, but has not, may be the entry with another payee. */
function mayHaveOtherText(row: ExistingRow, entry: ResolvedEntry): boolean {
  return (
    row.forms.some((form) => isSameMoney(form, entry) && isOfState(form, entry)) &&
    (entry.externalId === null || row.forms.every((form) => form.externalId === null))
  );
}

/** A posted entry may be what was pending on its day. */
function isOfState(form: Form, entry: ResolvedEntry): boolean {
  return form.isPending || !entry.isPending;
}

/** `Math.min(...all)` fails for many numbers. */
function least(all: readonly number[]): number {
  return all.reduce((found, each) => Math.min(found, each), Infinity);
}

/** With fewer days between them, two dates with the same id and amount are one transaction with a corrected date. */
const fewestDaysApart = 7;

/** A rule by which a row of a file of the same format is the entry. */
interface MatchRule {
  readonly find: (entry: ResolvedEntry, rows: AccountRows) => ExistingRow | undefined;
  readonly why: string;
  /** Returns what the entry says otherwise than the row: then the user decides. */
  readonly differenceOf?: (entry: ResolvedEntry, row: ExistingRow) => string;
}

/** The rules within a format, the most certain first. */
const matchRules: readonly MatchRule[] = [
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
function freeOf({ ofId }: ResolvedEntry, rows: AccountRows): ExistingRow[] {
  return untouchedFirst(ofId?.filter((row) => rows.isFree(row)) ?? []);
}

function isText(row: ExistingRow, entry: ResolvedEntry): boolean {
  return isSameText(row, entry) || row.forms.some((form) => isSameText(form, entry));
}

/** The row with the plain id, if the bank or the user may have corrected its date, or if it is posted now. */
function corrected(entry: ResolvedEntry, rows: AccountRows): ExistingRow | undefined {
  return ofPlainId(entry, rows).find((row) => mayBeCorrected(row, entry));
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
function withOtherAmount(entry: ResolvedEntry, rows: AccountRows): ExistingRow | undefined {
  return ofPlainId(entry, rows).find(
    (row) =>
      row.isPending === entry.isPending &&
      isSimilarPayee(row.payee, entry.payee) &&
      daysApart(row.date, entry.date) < fewestDaysApart,
  );
}

function ofPlainId(entry: ResolvedEntry, rows: AccountRows): ExistingRow[] {
  const { bankId } = entry;
  if (bankId === null) return [];
  const id = plainId(bankId);
  return freeOf(entry, rows).filter((row) => isOfId(row, id));
}

function isOfId(row: ExistingRow, id: string): boolean {
  return row.externalId === id || row.forms.some(({ externalId }) => externalId === id);
}

/** The same amount within a week. A pending transaction may be posted with any amount. */
function mayBeCorrected(row: ExistingRow, entry: ResolvedEntry): boolean {
  if (row.currency !== entry.currency) return false;
  const days = daysApart(row.date, entry.date);
  if (row.isPending !== entry.isPending) return days <= mostDaysPending;
  return row.amount === entry.amount && days < fewestDaysApart;
}

/**
 * The row with the same text of which the id is not known, on one side at least. Two ids of one format are two
 * transactions.
 */
function textWithoutId(entry: ResolvedEntry, rows: AccountRows): ExistingRow | undefined {
  const alike = rows.withText(entry).filter((row) => hasForm(row, entry));
  const isFree = (row: ExistingRow): boolean =>
    entry.externalId === null || row.forms.every(({ externalId }) => externalId === null);
  return alike.find((row) => isFree(row) && isWithoutId(row)) ?? alike.find(isFree);
}

/** Whether no file had an id for a row. */
function isWithoutId({ externalId, forms }: ExistingRow): boolean {
  return externalId === null && forms.every((form) => form.externalId === null);
}
