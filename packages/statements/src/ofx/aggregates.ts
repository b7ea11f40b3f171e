import { Refusal, type ProblemList } from '../statement-error.ts';
import type { Tag } from './markup.ts';

/** The most tags that may be open at once. */
const DEEPEST = 64;

/** What entries hang on: each must be closed, or the file is cut or damaged. */
const STRICT: ReadonlySet<string> = new Set([
  ...['OFX', 'STMTRS', 'CCSTMTRS', 'INVSTMTRS', 'LOANSTMTRS'],
  ...['BANKTRANLIST', 'INVTRANLIST', 'INVBANKTRAN', 'STMTTRN'],
]);

/** What holds tags that mean something else elsewhere. Banks do forget to close these. */
const LOOSE: ReadonlySet<string> = new Set([
  ...['BANKACCTFROM', 'CCACCTFROM', 'INVACCTFROM', 'LOANACCTFROM'],
  ...[
    'BANKACCTTO',
    'CCACCTTO',
    'INVACCTTO',
    'LOANACCTTO',
    'PAYEE',
    'EXTDPAYEE',
    'CURRENCY',
    'ORIGCURRENCY',
  ],
  ...['LEDGERBAL', 'AVAILBAL', 'BAL', 'IMAGEDATA', 'FI'],
  ...['INVTRAN', 'STMTTRNP', 'LOANSTMTTRN'],
]);

/** An aggregate that is open. */
export interface Aggregate {
  readonly name: string;
  readonly line: number;
}

/** What a tag turned out to be. */
export type Meaning =
  | { readonly kind: 'leaf' }
  | { readonly kind: 'opened' }
  | { readonly kind: 'closed'; readonly closed: readonly Aggregate[] };

const LEAF: Meaning = { kind: 'leaf' };

/**
 * Tells aggregates from values, whether values are closed or not, and keeps account of what is open. A tag that is not
 * known here is passed through: what stands in it counts as standing in what is around it.
 */
export class OpenAggregates {
  readonly #problems: ProblemList;
  readonly #open: Aggregate[] = [];
  /** The value read last: its closing tag means nothing more. */
  #lastLeaf: string | null = null;
  /** How many unknown tags without a value are open, at least it may be so. */
  #unknownDepth = 0;

  constructor(problems: ProblemList) {
    this.#problems = problems;
  }

  /** The innermost aggregate that is open. */
  get current(): string | null {
    return this.#open.at(-1)?.name ?? null;
  }

  isOpen(name: string): boolean {
    return this.#open.some((aggregate) => aggregate.name === name);
  }

  /** Takes the next tag into account. Errors: Refusal where tags are nested too deep. */
  take(tag: Tag): Meaning {
    if (tag.isClose) return this.#close(tag);
    const isAggregate = (STRICT.has(tag.name) || LOOSE.has(tag.name)) && tag.value === '';
    this.#lastLeaf = isAggregate ? null : tag.name;
    if (!isAggregate) {
      if (tag.value === '') this.#unknownDepth += 1;
      this.#checkDepth(tag.line);
      return LEAF;
    }
    if (this.isOpen(tag.name) && STRICT.has(tag.name)) this.#closeTo(tag.name, tag.line, true);
    this.#open.push({ name: tag.name, line: tag.line });
    this.#unknownDepth = 0;
    this.#checkDepth(tag.line);
    return { kind: 'opened' };
  }

  /** Reports what is still open at the end of the file. */
  finish(): void {
    for (const { name, line } of this.#open) {
      if (STRICT.has(name)) this.#problems.add(line, `<${name}>`, null, 'Is never closed');
    }
  }

  #close({ name, line }: Tag): Meaning {
    const isLeaf = this.#lastLeaf === name;
    this.#lastLeaf = null;
    if (isLeaf || !(STRICT.has(name) || LOOSE.has(name))) {
      this.#unknownDepth = Math.max(0, this.#unknownDepth - 1);
      return LEAF;
    }
    this.#unknownDepth = 0;
    if (this.isOpen(name)) return { kind: 'closed', closed: this.#closeTo(name, line, false) };
    if (STRICT.has(name)) this.#problems.add(line, `</${name}>`, null, 'Closes what is not open');
    return LEAF;
  }

  /** Closes an aggregate and all within it, and reports those that should have been closed before. */
  #closeTo(name: string, line: number, isReopened: boolean): Aggregate[] {
    const index = this.#open.findLastIndex((aggregate) => aggregate.name === name);
    const closed = this.#open.splice(index).toReversed();
    for (const aggregate of closed) {
      if (!STRICT.has(aggregate.name) || (aggregate.name === name && !isReopened)) continue;
      const by = isReopened ? `<${name}>` : `</${name}>`;
      const reason = `Is not closed before the ${by} on line ${line}`;
      this.#problems.add(aggregate.line, `<${aggregate.name}>`, null, reason);
    }
    return closed;
  }

  #checkDepth(line: number): void {
    if (this.#open.length + this.#unknownDepth <= DEEPEST) return;
    throw new Refusal(`Tags are nested deeper than ${DEEPEST}`, line);
  }
}
