/** A problem that the doctor found. */
export interface Finding {
  /** The name of the check, such as `transaction_counts`. */
  readonly check: string;
  /** One sentence that names the place and both values. */
  readonly detail: string;
  readonly repaired: boolean;
  /** For the last finding, which counts those that are not listed: how many. */
  readonly count?: number;
}

/** How many findings of one check are listed. The rest are counted. */
export const listedFindings = 20;

/** Returns the findings of one check: one for each of the first details, and a last one that counts the rest. */
export function findingsOf(
  check: string,
  details: readonly string[],
  { total = details.length, repaired = false }: { total?: number; repaired?: boolean } = {},
): Finding[] {
  const listed = details.slice(0, listedFindings);
  const findings: Finding[] = listed.map((detail) => ({ check, detail, repaired }));
  const count = total - listed.length;
  if (count > 0) findings.push({ check, detail: `… and ${count} more`, repaired, count });
  return findings;
}

/** Collects the findings of one check. The first ones are kept, the rest are counted. */
export class Findings {
  readonly #check: string;
  readonly #isRepaired: boolean;
  readonly #details: string[] = [];
  #total = 0;

  constructor(check: string, { repaired = false }: { readonly repaired?: boolean } = {}) {
    this.#check = check;
    this.#isRepaired = repaired;
  }

  add(detail: string): void {
    this.#total += 1;
    if (this.#details.length < listedFindings) this.#details.push(detail);
  }

  list(): Finding[] {
    return findingsOf(this.#check, this.#details, {
      total: this.#total,
      repaired: this.#isRepaired,
    });
  }
}
