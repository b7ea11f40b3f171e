/** Something that the doctor found to be other than it should be. */
export interface Finding {
  /** What was checked, e.g. `transaction_counts`. */
  readonly check: string;
  /** One sentence that names the place and both values. */
  readonly detail: string;
  readonly repaired: boolean;
}
