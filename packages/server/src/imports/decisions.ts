import type { Decision, PendingRow } from './comparison.ts';
import type { Verdict } from './entry.ts';

/** What was decided about an entry, with what a preview shows of it. */
export interface ShownDecision extends Decision {
  readonly currency: string;
  /** Null without an account, and for one that would be created. */
  readonly accountId: number | null;
}

const verdicts: readonly Verdict[] = ['new', 'known', 'replaces', 'doubtful'];
const flags = ['isLeftOut', 'takesId', 'isNoted', 'isIdUsed'] as const;

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

/** The decisions on the entries of a file, by their number from 1, in any order: about 26 bytes each. */
export class Decisions {
  #verdicts = new Uint8Array(1024);
  #flags = new Uint8Array(1024);
  #knownIds = new Float64Array(1024);
  #accountIds = new Float64Array(1024);
  #reasons = new Uint32Array(1024);
  #currencies = new Uint32Array(1024);
  readonly #reason = new Shared<string | null>();
  readonly #currency = new Shared<string>();
  readonly #pending = new Map<number, PendingRow>();

  set(number: number, decision: ShownDecision): void {
    if (number >= this.#verdicts.length) this.#grow(number * 2);
    const { verdict, knownId, why, currency, accountId, pending } = decision;
    this.#verdicts[number] = verdicts.indexOf(verdict);
    this.#flags[number] = flagsOf(decision);
    this.#knownIds[number] = knownId ?? 0;
    this.#accountIds[number] = accountId ?? 0;
    this.#reasons[number] = this.#reason.numberOf(why);
    this.#currencies[number] = this.#currency.numberOf(currency);
    if (pending !== null) this.#pending.set(number, pending);
  }

  of(number: number): ShownDecision {
    return {
      verdict: verdicts[this.#verdicts[number]!]!,
      ...fromFlags(this.#flags[number]!),
      knownId: this.#knownIds[number]! || null,
      why: this.#reason.at(this.#reasons[number]!),
      currency: this.#currency.at(this.#currencies[number]!),
      accountId: this.#accountIds[number]! || null,
      pending: this.#pending.get(number) ?? null,
    };
  }

  #grow(length: number): void {
    const grown = <T extends Uint8Array | Uint32Array | Float64Array>(old: T, made: T): T => {
      made.set(old);
      return made;
    };
    this.#verdicts = grown(this.#verdicts, new Uint8Array(length));
    this.#flags = grown(this.#flags, new Uint8Array(length));
    this.#knownIds = grown(this.#knownIds, new Float64Array(length));
    this.#accountIds = grown(this.#accountIds, new Float64Array(length));
    this.#reasons = grown(this.#reasons, new Uint32Array(length));
    this.#currencies = grown(this.#currencies, new Uint32Array(length));
  }
}

/** Returns the flags of a decision as the bits of a number. */
function flagsOf(decision: Decision): number {
  return flags.reduce((bits, name, at) => bits | (Number(decision[name]) << at), 0);
}

function fromFlags(bits: number): Pick<Decision, (typeof flags)[number]> {
  const isSet = (at: number): boolean => (bits & (1 << at)) !== 0;
  return { isLeftOut: isSet(0), takesId: isSet(1), isNoted: isSet(2), isIdUsed: isSet(3) };
}

/** A decision as it is stored: without what is as usual at its end. */
type StoredDecision = readonly [
  verdict: number,
  currency: string,
  accountId?: number | null,
  knownId?: number | null,
  why?: string | null,
  flags?: number,
  pending?: PendingRow,
];

/** Returns decisions as JSON. */
export function storedDecisions(decisions: readonly ShownDecision[]): string {
  return JSON.stringify(decisions.map(toStored));
}

function toStored(decision: ShownDecision): StoredDecision {
  const { verdict, currency, accountId, knownId, why, pending } = decision;
  const start = [verdicts.indexOf(verdict), currency, accountId] as const;
  const bits = flagsOf(decision);
  if (knownId === null && bits === 0) return start;
  return pending === null
    ? [...start, knownId, why, bits]
    : [...start, knownId, why, bits, pending];
}

/** Returns the decisions of {@link storedDecisions}. */
export function readDecisions(json: string): ShownDecision[] {
  return (JSON.parse(json) as StoredDecision[]).map(
    ([
      verdict,
      currency,
      accountId = null,
      knownId = null,
      why = null,
      bits = 0,
      pending = null,
    ]) => ({
      verdict: verdicts[verdict]!,
      currency,
      accountId,
      knownId,
      why,
      ...fromFlags(bits),
      pending,
    }),
  );
}
