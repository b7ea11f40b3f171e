import type { EntryVerdict, ImportAccount, Verdict } from '../entry.ts';

const words: readonly Verdict[] = ['new', 'known', 'replaces', 'doubtful'];

/** A value that many entries share, once. */
class Shared<T> {
  readonly #numbers = new Map<T, number>();
  readonly #values: T[] = [];

  numberOf(value: T): number {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.#values.push(value) - 1;
      this.#numbers.set(value, number);
    }
    return number;
  }

  at(number: number): T {
    return this.#values[number]!;
  }
}

/** The verdicts on all entries of a file, by their number: about 22 bytes each. */
export class JudgedEntries {
  readonly #verdicts: Uint8Array;
  readonly #imported: Uint8Array;
  readonly #knownIds: Float64Array;
  readonly #reasons: Uint32Array;
  readonly #currencies: Uint32Array;
  readonly #accounts: Uint32Array;
  readonly #reason = new Shared<string | null>();
  readonly #currency = new Shared<string>();
  readonly #account = new Shared<ImportAccount | null>();
  readonly count: number;

  constructor(count: number) {
    this.count = count;
    this.#verdicts = new Uint8Array(count);
    this.#imported = new Uint8Array(count);
    this.#knownIds = new Float64Array(count);
    this.#reasons = new Uint32Array(count);
    this.#currencies = new Uint32Array(count);
    this.#accounts = new Uint32Array(count);
  }

  add({ number, verdict, knownId, why, isImported, currency, account }: EntryVerdict): void {
    const at = number - 1;
    this.#verdicts[at] = words.indexOf(verdict);
    this.#imported[at] = Number(isImported);
    this.#knownIds[at] = knownId ?? 0;
    this.#reasons[at] = this.#reason.numberOf(why);
    this.#currencies[at] = this.#currency.numberOf(currency);
    this.#accounts[at] = this.#account.numberOf(account);
  }

  /** Returns the verdict on an entry. */
  of(number: number): EntryVerdict {
    const at = number - 1;
    return {
      number,
      verdict: words[this.#verdicts[at]!]!,
      isImported: this.#imported[at] === 1,
      knownId: this.#knownIds[at] === 0 ? null : this.#knownIds[at]!,
      why: this.#reason.at(this.#reasons[at]!),
      currency: this.#currency.at(this.#currencies[at]!),
      account: this.#account.at(this.#accounts[at]!),
    };
  }
}
