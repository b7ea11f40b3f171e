import { dayNumber } from '@coffer/core/dates';
import type { AccountRows } from './account-rows.ts';
import { sharedId } from './bank-ids.ts';
import { clustersOf, DateAgreement, pairCluster } from './between-formats.ts';
import type { Cluster, DateRange, Pairing } from './between-formats.ts';
import { isNew } from './candidate.ts';
import type { Candidate, Judgement } from './candidate.ts';
import { hasForm, isSameMoney, isSameText, moneyKey } from './forms.ts';
import type { Edit, Form, KnownRow } from './forms.ts';
import type { KnownRows } from './known-rows.ts';
import { freeOf, isWithoutId, likenesses } from './likenesses.ts';
import { mostDaysPending, pairStates } from './pending.ts';

/** How many entries may wait for the end of the file, so that memory does not grow with the file. */
const mostWaiting = 20_000;

/** Entries whose dates are so many days from the last one that was read are not affected by the rest of the file. */
const settledDays = 21;

type Judged = readonly [candidate: Candidate, judgement: Judgement];

/**
 * Decides which entries of a file the book has already. Each row of the book is claimed by one entry at most, so an
 * entry that another one may have a better right to waits: see `docs/reference/statements.md` for the rules, in their
 * order.
 */
export class Judge {
  readonly #rows: KnownRows;
  readonly #agreement = new DateAgreement();
  /** By account. */
  readonly #ranges = new Map<number | null, DateRange>();
  #waiting: Candidate[] = [];

  constructor(rows: KnownRows) {
    this.#rows = rows;
  }

  /** Notes an entry of the file. All entries must be noted, before they are judged. */
  note({ account, date }: Candidate): void {
    const range = this.#ranges.get(account?.id ?? null);
    if (range === undefined) this.#ranges.set(account?.id ?? null, { first: date, last: date });
    else if (date < range.first) range.first = date;
    else if (date > range.last) range.last = date;
  }

  /** Returns the judgement of an entry that has the id of a row, and is equal to it, state included. */
  takeId(candidate: Candidate): Judgement | null {
    if (candidate.externalId === null) return null;
    const row = this.#of(candidate).withId(candidate.externalId);
    if (row === undefined) return null;
    // A row that a user changed is left to rows that are as a file had them, unless the file says the same now.
    const isSame = row.edit === null ? isEqual(row, candidate) : agrees(row, candidate);
    return isSame ? this.#known(candidate, row, 'same id') : null;
  }

  /** Returns the judgement of an entry that has the same id and content as a row whose id others share. */
  takeSharedId(candidate: Candidate): Judgement | null {
    const { bankId, entry, currency } = candidate;
    const free = freeOf(candidate, this.#of(candidate));
    if (bankId === null || free.length === 0) return null;
    const id = sharedId(bankId, entry);
    const row = free.find(
      (each) => each.edit === null && each.externalId === id && each.currency === currency,
    );
    return row === undefined ? null : this.#known(candidate, row, 'same id');
  }

  /** Returns the judgement of an entry without an id that is equal to a row in every way, state included. */
  takeText(candidate: Candidate): Judgement | null {
    if (candidate.externalId !== null) return null;
    const rows = this.#of(candidate).withText(candidate);
    const row = rows.find(
      (each) => each.edit === null && isWithoutId(each) && hasForm(each, candidate),
    );
    return row === undefined ? null : this.#known(candidate, row, 'same date, amount and payee');
  }

  /** Decides about an entry whose rows are loaded, or keeps it for {@link settle}. */
  take(candidate: Candidate): Judgement | null {
    const rows = this.#of(candidate);
    const mayBeKnown =
      freeOf(candidate, rows).length > 0 ||
      rows.withText(candidate).length > 0 ||
      rows.foreign(candidate).length > 0 ||
      rows.sameMoney(candidate).length > 0 ||
      rows.hasPending ||
      candidate.isPending;
    if (!mayBeKnown) return isNew;
    this.#waiting.push(candidate);
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
  settle(near?: string): Judged[] {
    const isLeft = ({ date }: Candidate): boolean =>
      near !== undefined && Math.abs(dayNumber(date) - dayNumber(near)) <= settledDays;
    const far = this.#waiting.filter((each) => !isLeft(each));
    // A file with more entries in three weeks.
    const settled = far.length > 0 ? far : this.#waiting;
    this.#waiting = far.length > 0 ? this.#waiting.filter(isLeft) : [];
    const judged = new Map<Candidate, Judgement>();
    const decide = (find: (left: Candidate[]) => void): void =>
      find(settled.filter((each) => !judged.has(each)));
    for (const { find, why, differenceOf } of likenesses)
      decide((left) => {
        for (const candidate of left) {
          const row = find(candidate, this.#of(candidate));
          if (row === undefined) continue;
          const difference = differenceOf?.(candidate, row);
          const judgement =
            difference === undefined
              ? this.#known(candidate, row, why)
              : this.#different(candidate, row, difference);
          judged.set(candidate, judgement);
        }
      });
    decide((left) => this.#pairFormats(left, judged));
    decide((left) => this.#pairStates(left, judged));
    decide((left) => this.#doubt(left, judged));
    const all = settled.map((each): Judged => [each, judged.get(each) ?? isNew]);
    return [...all.filter(isSure), ...all.filter((each) => !isSure(each))];
  }

  /** Finds entries that the book has from files of other formats. */
  #pairFormats(left: readonly Candidate[], judged: Map<Candidate, Judgement>): void {
    const clusters: { account: number | null; cluster: Cluster<KnownRow, Candidate> }[] = [];
    const posted = left.filter(({ isPending }) => !isPending);
    for (const [account, own] of Map.groupBy(posted, accountOf))
      for (const alike of Map.groupBy(own, moneyKey).values()) {
        const foreign = this.#rows.of(account).foreign(alike[0]!);
        const rows = foreign.filter(({ relation }) => relation === 'other');
        for (const cluster of clustersOf(rows, alike)) {
          clusters.push({ account, cluster });
          this.#agreement.note(cluster);
        }
      }
    for (const { account, cluster } of clusters) {
      const range = this.#ranges.get(account)!;
      for (const [candidate, pairing] of pairCluster(cluster, range, this.#agreement))
        judged.set(candidate, this.#paired(candidate, pairing, formatWords));
    }
  }

  /** Finds pending rows that are posted now, and pending entries that were posted before. */
  #pairStates(left: readonly Candidate[], judged: Map<Candidate, Judgement>): void {
    for (const [account, own] of Map.groupBy(left, accountOf)) {
      const rows = this.#rows.of(account);
      const [pending, posted] = [
        own.filter(({ isPending }) => isPending),
        own.filter(({ isPending }) => !isPending),
      ];
      if (rows.hasPending)
        for (const [candidate, pairing] of pairStates(rows.pending, posted))
          judged.set(candidate, this.#paired(candidate, pairing, postingWords));
      if (pending.length === 0) continue;
      const days = pending.map(({ date }) => dayNumber(date));
      const [first, last] = [
        least(days) - mostDaysPending,
        -least(days.map((day) => -day)) + mostDaysPending,
      ];
      const others = [...rows.between(first, last)].filter(
        (row) => !row.forms.some((form) => form.isPending),
      );
      for (const [candidate, pairing] of pairStates(others, pending))
        judged.set(candidate, this.#paired(candidate, pairing, pendingWords));
    }
  }

  /** Finds rows that the rest may be. */
  #doubt(left: readonly Candidate[], judged: Map<Candidate, Judgement>): void {
    for (const candidate of left) {
      const rows = this.#of(candidate);
      const ofId = freeOf(candidate, rows).find(
        (row) => row.date === candidate.date && row.currency === candidate.currency,
      );
      const unclear = rows.foreign(candidate).find((row) => isUnclear(row, candidate));
      const alike = rows.sameMoney(candidate);
      const possible = candidate.isPending ? [...rows.pending, ...alike] : alike;
      const changed = possible.find((row) => mayHaveOtherText(row, candidate));
      const agreed = rows.withText(candidate).find((row) => agrees(row, candidate));
      const row = ofId ?? agreed ?? unclear ?? changed;
      if (row === undefined) continue;
      if (row === agreed) judged.set(candidate, this.#different(candidate, row, sameNow));
      else {
        const why = row === ofId ? usedId : row === unclear ? unknownOrigin : otherText;
        judged.set(candidate, { verdict: 'doubtful', row, why: withEdit(why, row) });
      }
    }
  }

  #paired(candidate: Candidate, { row, isCertain }: Pairing<KnownRow>, words: Words): Judgement {
    // A row in doubt stays free, because it may certainly be another entry.
    return isCertain
      ? this.#known(candidate, row, words.certain)
      : { verdict: 'doubtful', row, why: withEdit(words.doubtful, row) };
  }

  #known(candidate: Candidate, row: KnownRow, why: string): Judgement {
    const isPosted = row.isPending && !candidate.isPending;
    const { edit } = row;
    // A pending row that a user changed is posted all the same.
    const isAsSaid = edit === null || agrees(row, candidate) || (isPosted && isStillPending(edit));
    if (!isAsSaid) return this.#different(candidate, row);
    this.#rows.claim(accountOf(candidate), row);
    return { verdict: isPosted ? 'replaces' : 'known', row, why };
  }

  /** The judgement of an entry that is a row, but the book has it otherwise, or no longer. */
  #different(candidate: Candidate, row: KnownRow, why?: string): Judgement {
    this.#rows.claim(accountOf(candidate), row);
    return { verdict: 'doubtful', row, why: withEdit(why ?? null, row), isLeftOut: true };
  }

  #of(candidate: Candidate): AccountRows {
    return this.#rows.of(accountOf(candidate));
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

function isSure([, { verdict }]: Judged): boolean {
  return verdict !== 'doubtful';
}

function accountOf({ account }: Candidate): number | null {
  return account?.id ?? null;
}

function isEqual(row: KnownRow, candidate: Candidate): boolean {
  return (
    (row.isPending === candidate.isPending && isSameText(row, candidate)) || hasForm(row, candidate)
  );
}

/** Whether an entry is as a user made a row. */
function agrees({ edit }: KnownRow, candidate: Candidate): boolean {
  const now = edit?.now ?? null;
  return now !== null && isSameText(now, candidate);
}

function isStillPending({ now }: Edit): boolean {
  return now?.isPending === true;
}

/** Returns a reason, and what a user did to the row. */
function withEdit(why: string | null, { edit }: KnownRow): string {
  return [...(why === null ? [] : [why]), ...(edit === null ? [] : [edit.why])].join('; ');
}

/** Whether a row whose origin is not known may be the entry. */
function isUnclear(row: KnownRow, candidate: Candidate): boolean {
  return row.relation === 'unknown' && isSameMoney(row, candidate);
}

/** Whether a row that the file should have, but has not, may be the entry with another payee. */
function mayHaveOtherText(row: KnownRow, candidate: Candidate): boolean {
  return (
    row.forms.some((form) => isSameMoney(form, candidate) && isOfState(form, candidate)) &&
    (candidate.externalId === null || row.forms.every((form) => form.externalId === null))
  );
}

/** A posted entry may be what was pending on its day. */
function isOfState(form: Form, candidate: Candidate): boolean {
  return form.isPending || !candidate.isPending;
}

/** `Math.min(...all)` fails for many numbers. */
function least(all: readonly number[]): number {
  return all.reduce((found, each) => Math.min(found, each), Infinity);
}
