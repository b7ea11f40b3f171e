export interface WrittenRow {
  readonly id: number;
  readonly batch: number;
  readonly date: string;
  readonly accountId: number | null;
  readonly categoryId: number | null;
}

/** An acknowledged import, with times of the clock of the check. */
export interface WrittenBatch {
  readonly batch: number;
  readonly rowCount: number;
  readonly beganAtMs: number;
  readonly acknowledgedAtMs: number;
}

export interface ListFilter {
  readonly start_date?: string;
  readonly end_date?: string;
  readonly manual_account_id?: number;
  readonly category_id?: number;
}

export interface SeenPage {
  readonly filter: ListFilter;
  readonly limit: number;
  readonly offset: number;
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  readonly ids: readonly number[];
  readonly hasMore: boolean;
}

/**
 * The states of a book while imports wrote to it one after another: one state after each import. Every page must show
 * one of these states. The ids of the rows give the order of the imports.
 */
export class SnapshotHistory {
  readonly #batches: readonly WrittenBatch[];
  /** Every stored row, in the order of the list, with the number of its first state, from 1. */
  readonly #rows: readonly (WrittenRow & { readonly state: number })[];

  constructor(batches: readonly WrittenBatch[], rows: readonly WrittenRow[]) {
    const firstIds = new Map<number, number>();
    for (const { batch, id } of rows)
      firstIds.set(batch, Math.min(id, firstIds.get(batch) ?? Infinity));
    const firstId = ({ batch }: { batch: number }): number => firstIds.get(batch) ?? Infinity;
    this.#batches = batches.toSorted((a, b) => firstId(a) - firstId(b));
    const states = new Map(this.#batches.map(({ batch }, index) => [batch, index + 1]));
    this.#rows = rows
      .map((row) => ({ ...row, state: states.get(row.batch) ?? Infinity }))
      .toSorted((a, b) => (a.date === b.date ? b.id - a.id : a.date < b.date ? 1 : -1));
  }

  /** Returns the problems of the final book: rows of no acknowledged import, and partial imports. */
  problems(): string[] {
    const counts = new Map<number, number>();
    for (const { batch } of this.#rows) counts.set(batch, (counts.get(batch) ?? 0) + 1);
    const kept = new Set(this.#batches.map(({ batch }) => batch));
    const strange = this.#rows.filter(({ batch }) => !kept.has(batch));
    return [
      ...strange.map(({ id }) => `the book has row ${id} of no acknowledged import`),
      ...this.#batches
        .filter(({ batch, rowCount }) => counts.get(batch) !== rowCount)
        .map(({ batch }) => `import ${batch} has ${counts.get(batch) ?? 0} rows in the book`),
    ];
  }

  /** Returns the problem of a page; null when it shows one state that the book had during the request. */
  problemOf(page: SeenPage): string | null {
    const known = new Set(this.#rows.map(({ id }) => id));
    const unknown = page.ids.filter((id) => !known.has(id));
    if (unknown.length > 0) return `has rows of no acknowledged import: ${unknown.join(', ')}`;
    const { oldest, newest } = this.#statesOf(page);
    for (let state = newest; state >= oldest; state -= 1) if (this.#isOf(page, state)) return null;
    return `shows none of the possible states ${oldest} to ${newest}: ${page.ids.join(', ')} (${page.hasMore})`;
  }

  /** A page includes imports acknowledged before the request, and excludes imports that began after the response. */
  #statesOf({ beganAtMs, endedAtMs }: SeenPage): { oldest: number; newest: number } {
    const isBefore = (each: WrittenBatch): boolean => each.acknowledgedAtMs < beganAtMs;
    const isAfter = (each: WrittenBatch): boolean => each.beganAtMs > endedAtMs;
    const after = this.#batches.findIndex(isAfter);
    return {
      oldest: this.#batches.findLastIndex(isBefore) + 1,
      newest: after === -1 ? this.#batches.length : after,
    };
  }

  #isOf({ filter, limit, offset, ids, hasMore }: SeenPage, state: number): boolean {
    const end = offset + limit;
    let count = 0;
    for (const row of this.#rows) {
      if (row.state > state || !matches(row, filter)) continue;
      if (count === end) return hasMore && ids.length === limit;
      if (count >= offset && ids[count - offset] !== row.id) return false;
      count += 1;
    }
    return !hasMore && ids.length === Math.max(0, count - offset);
  }
}

function matches(row: WrittenRow, filter: ListFilter): boolean {
  const { start_date = '', end_date = '9999-12-31' } = filter;
  const { manual_account_id: accountId, category_id: categoryId } = filter;
  if (row.date < start_date || row.date > end_date) return false;
  if (accountId !== undefined && row.accountId !== accountId) return false;
  return categoryId === undefined || row.categoryId === categoryId;
}
