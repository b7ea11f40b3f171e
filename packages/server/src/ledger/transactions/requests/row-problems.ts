import { Problem } from '../../../operations/problem.ts';
import type { ErrorDetail } from '../../../operations/problem.ts';

/** The keys of a problem: its class, the property, and the wrong value under its own name. */
type Keys = Readonly<Record<string, unknown>> & { readonly error: string };

/** All problems of a request about one or more transactions. */
export class RowProblems {
  readonly details: ErrorDetail[] = [];
  readonly #nameOf: (index: number) => string;

  /** `nameOf` returns how texts name the transaction at a place of the request. */
  constructor(nameOf = (index: number): string => `transactions[${index}]`) {
    this.#nameOf = nameOf;
  }

  /** Adds a problem. `index` is the place of the transaction in the request; null if the request has only one. */
  add(index: number | null, text: string, keys: Keys): void {
    if (index === null) this.addWhole(text[0]!.toUpperCase() + text.slice(1), keys);
    else this.addWhole(`${this.#nameOf(index)} ${text}`, { transaction_index: index, ...keys });
  }

  /** Adds a problem of several transactions together. */
  addWhole(errMsg: string, keys: Readonly<Record<string, unknown>>): void {
    this.details.push({ errMsg, ...keys });
  }

  /** Throws a Problem with all problems, if there are any. */
  throwIfAny(): void {
    if (this.details.length > 0) throw new Problem('validation', { details: this.details });
  }
}
