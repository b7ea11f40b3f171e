import { Refusal, type ProblemList } from '../../statement/statement-error.ts';
import type { Tag } from './markup.ts';

/** Maximum number of tags that are open at once. */
const MAX_DEPTH = 64;

/** Aggregates around entries: if one is not closed, the file is cut off or damaged. */
const STRICT: ReadonlySet<string> = new Set([
  'OFX',
  'STMTRS',
  'CCSTMTRS',
  'INVSTMTRS',
  'LOANSTMTRS',
  'BANKTRANLIST',
  'INVTRANLIST',
  'INVBANKTRAN',
  'STMTTRN',
]);

/** Statements of accounts. */
const STATEMENTS: ReadonlySet<string> = new Set(['STMTRS', 'CCSTMTRS', 'INVSTMTRS', 'LOANSTMTRS']);

/** Lists of entries. Some banks do not close them, or close them twice: every entry in them is complete. */
const LISTS: ReadonlySet<string> = new Set(['BANKTRANLIST', 'INVTRANLIST']);

/** Aggregates whose tags have another meaning elsewhere. Some banks do not close them. */
const LOOSE: ReadonlySet<string> = new Set([
  'BANKACCTFROM',
  'CCACCTFROM',
  'INVACCTFROM',
  'LOANACCTFROM',
  'BANKACCTTO',
  'CCACCTTO',
  'INVACCTTO',
  'LOANACCTTO',
  'PAYEE',
  'EXTDPAYEE',
  'CURRENCY',
  'ORIGCURRENCY',
  'LEDGERBAL',
  'AVAILBAL',
  'BAL',
  'IMAGEDATA',
  'FI',
  'INVTRAN',
  'STMTTRNP',
  'LOANSTMTTRN',
]);

/** An open aggregate. */
export interface Aggregate {
  readonly name: string;
  readonly line: number;
}

/** The meaning of a tag. */
export type Meaning =
  | { readonly kind: 'leaf' }
  | { readonly kind: 'opened' }
  | { readonly kind: 'closed'; readonly closed: readonly Aggregate[] };

const LEAF: Meaning = { kind: 'leaf' };

/**
 * Distinguishes aggregates from values, closed or not, and keeps the stack of open aggregates.
 * Unknown tags are transparent: their content belongs to the aggregate around them.
 */
export class OpenAggregates {
  readonly #problems: ProblemList;
  readonly #open: Aggregate[] = [];
  /** Tag of the last value: its closing tag has no further meaning. */
  #lastLeaf: string | null = null;
  /** Unknown tags without a value that may be open. */
  #unknownDepth = 0;

  constructor(problems: ProblemList) {
    this.#problems = problems;
  }

  /** The innermost open aggregate. */
  get current(): string | null {
    return this.#open.at(-1)?.name ?? null;
  }

  isOpen(name: string): boolean {
    return this.#open.some((aggregate) => aggregate.name === name);
  }

  /** Adds the next tag. Errors: Refusal if tags are nested too deeply. */
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
    const statement = STATEMENTS.has(name) && !this.isOpen(name) ? this.#openStatement() : null;
    if (statement !== null)
      return { kind: 'closed', closed: this.#closeTo(statement, line, false) };
    if (this.isOpen(name)) return { kind: 'closed', closed: this.#closeTo(name, line, false) };
    if (STRICT.has(name) && !LISTS.has(name))
      this.#problems.add(line, `</${name}>`, null, 'Closes a tag that is not open');
    return LEAF;
  }

  /** The name of the innermost open statement: some banks close that of a card as one of a bank. */
  #openStatement(): string | null {
    return this.#open.findLast(({ name }) => STATEMENTS.has(name))?.name ?? null;
  }

  /** Closes an aggregate and all in it, and reports those that should have been closed earlier. */
  #closeTo(name: string, line: number, isReopened: boolean): Aggregate[] {
    const index = this.#open.findLastIndex((aggregate) => aggregate.name === name);
    const closed = this.#open.splice(index).toReversed();
    for (const aggregate of closed) {
      if (!STRICT.has(aggregate.name) || (aggregate.name === name && !isReopened)) continue;
      if (LISTS.has(aggregate.name) && !isReopened) continue;
      const by = isReopened ? `<${name}>` : `</${name}>`;
      const reason = `Is not closed before the ${by} on line ${line}`;
      this.#problems.add(aggregate.line, `<${aggregate.name}>`, null, reason);
    }
    return closed;
  }

  #checkDepth(line: number): void {
    if (this.#open.length + this.#unknownDepth <= MAX_DEPTH) return;
    throw new Refusal(`Tags are nested deeper than ${MAX_DEPTH}`, line);
  }
}
