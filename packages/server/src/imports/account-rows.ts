import { dayNumber } from '@coffer/core/dates';
import { moneyKey, textKey, untouchedFirst } from './forms.ts';
import type { Form, KnownRow } from './forms.ts';
import type { IdSet } from './id-set.ts';

/**
 * The transactions of one account that the book had before the import, as far as they are loaded. Each matches one
 * entry of a file at most: a claimed row is not found again.
 */
export class AccountRows {
  readonly #claimed: IdSet;
  readonly #byId = new Map<number, KnownRow>();
  readonly #byExternalId = new Map<string, KnownRow>();
  readonly #byText = new Map<string, KnownRow[]>();
  /** Rows that files of this format do not have as they are: see {@link KnownRow.relation}. */
  readonly #foreign = new Map<string, KnownRow[]>();
  /** Posted rows that files of this format have, pending or posted, by the day and the amount in those files. */
  readonly #sameMoney = new Map<string, KnownRow[]>();
  readonly #pending = new Map<number, KnownRow>();
  readonly loadedMonths = new Set<string>();
  hasLoadedPending = false;

  /** `claimed` has the ids of all claimed rows. */
  constructor(claimed: IdSet) {
    this.#claimed = claimed;
  }

  /** Adds a row. Returns the row that is known under its id. */
  add(row: KnownRow): KnownRow {
    const known = this.#byId.get(row.id);
    if (known !== undefined) return known;
    if (this.#claimed.has(row.id)) return row;
    this.#byId.set(row.id, row);
    for (const id of idsOf(row))
      if (row.edit === null || !this.#byExternalId.has(id)) this.#byExternalId.set(id, row);
    for (const form of comparedForms(row)) addTo(this.#byText, textKey(form), row);
    if (row.isPending) this.#pending.set(row.id, row);
    else {
      if (row.relation !== 'same') addTo(this.#foreign, moneyKey(row), row);
      for (const form of row.forms) addTo(this.#sameMoney, dayKey(form), row);
    }
    return row;
  }

  /** Forgets a claimed row, so that memory does not grow with the file. */
  forget(row: KnownRow): void {
    this.#byId.delete(row.id);
    this.#pending.delete(row.id);
    for (const id of idsOf(row))
      if (this.#byExternalId.get(id) === row) this.#byExternalId.delete(id);
    for (const form of comparedForms(row)) removeFrom(this.#byText, textKey(form), row);
    if (row.isPending) return;
    if (row.relation !== 'same') removeFrom(this.#foreign, moneyKey(row), row);
    for (const form of row.forms) removeFrom(this.#sameMoney, dayKey(form), row);
  }

  isFree(row: KnownRow): boolean {
    return !this.#claimed.has(row.id);
  }

  /** Returns the free row with an external id. */
  withId(externalId: string): KnownRow | undefined {
    const row = this.#byExternalId.get(externalId);
    return row !== undefined && this.isFree(row) ? row : undefined;
  }

  /**
   * Returns the free rows of which a form, or what a user made of it, has the same date, amount, currency and payee;
   * rows that a user changed or deleted come last.
   */
  withText(form: Form): readonly KnownRow[] {
    return untouchedFirst(this.#byText.get(textKey(form)) ?? []);
  }

  /** Returns the free posted rows that no file of this format has, or that may be such rows. */
  foreign(money: Form): readonly KnownRow[] {
    return this.#foreign.get(moneyKey(money)) ?? [];
  }

  /** Returns the free posted rows that a file of this format had with the same date, amount and currency. */
  sameMoney(form: Form): readonly KnownRow[] {
    return this.#sameMoney.get(dayKey(form)) ?? [];
  }

  /** Returns the free pending rows, by id. */
  get pending(): readonly KnownRow[] {
    return [...this.#pending.values()];
  }

  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Returns the free rows with dates in a range of days, both ends inclusive. */
  *between(first: number, last: number): Generator<KnownRow> {
    for (const row of this.#byId.values()) {
      const day = dayNumber(row.date);
      if (day >= first && day <= last) yield row;
    }
  }
}

/** The forms of a row in files, and the one that a user gave it. */
function comparedForms({ forms, edit }: KnownRow): readonly Form[] {
  const now = edit?.now ?? null;
  return now === null ? forms : [...forms, now];
}

function dayKey(form: Form): string {
  return `${form.date} ${moneyKey(form)}`;
}

function idsOf(row: KnownRow): string[] {
  const ids = [row, ...row.forms].map(({ externalId }) => externalId);
  return ids.filter((id) => id !== null);
}

function addTo(index: Map<string, KnownRow[]>, key: string, row: KnownRow): void {
  const rows = index.get(key);
  if (rows === undefined) index.set(key, [row]);
  // A row is added to a list only once, one form after another.
  else if (rows.at(-1) !== row) rows.push(row);
}

function removeFrom(index: Map<string, KnownRow[]>, key: string, row: KnownRow): void {
  const rows = index.get(key);
  const at = rows?.indexOf(row) ?? -1;
  if (at < 0) return;
  rows!.splice(at, 1);
  if (rows!.length === 0) index.delete(key);
}
