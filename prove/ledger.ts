/** What a database holds of a ledger: for each batch the number of its rows. */
export type Batches = ReadonlyMap<number, number>;

/** What is wrong with a database, counted. */
export interface Losses {
  /** Acknowledged batches of which no row is there. */
  readonly lost: number;
  /** Batches of which some rows are there and some are not, or more than there should be. */
  readonly half: number;
}

/** Which batches were sent, and which of them were acknowledged. A batch is some rows that are written at once. */
export class Ledger {
  readonly #rowCounts = new Map<number, number>();
  readonly #acknowledged = new Set<number>();

  /** Notes a batch that is about to be sent, and returns its number: 1 for the first. */
  send(rowCount: number): number {
    const batch = this.#rowCounts.size + 1;
    this.#rowCounts.set(batch, rowCount);
    return batch;
  }

  /** Notes that whoever sent the batch was told that it is stored. */
  acknowledge(batch: number): void {
    if (!this.#rowCounts.has(batch)) throw new Error(`Batch ${batch} was never sent`);
    this.#acknowledged.add(batch);
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** Holds what a database has against what was sent. */
  compare(found: Batches): Losses {
    let lost = 0;
    let half = 0;
    for (const [batch, rowCount] of this.#rowCounts) {
      const rows = found.get(batch) ?? 0;
      if (rows === 0 && this.#acknowledged.has(batch)) lost += 1;
      if (rows !== 0 && rows !== rowCount) half += 1;
    }
    return { lost, half };
  }

  /** The batches that are there although nobody was told so. */
  unacknowledged(found: Batches): number {
    return [...found.keys()].filter((batch) => !this.#acknowledged.has(batch)).length;
  }
}
