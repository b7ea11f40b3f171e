import { listOf } from '../../statement/texts.ts';
import { type ProblemList, Refusal } from '../../statement/statement-error.ts';
import type { Tag } from './markup.ts';

/** A value as written in the file. */
export interface Field {
  readonly line: number;
  readonly value: string;
}

/** Values by tag; in an aggregate of the entry, `PAYEE.NAME`. Of several, the first that is not empty. */
export type Fields = ReadonlyMap<string, Field>;

/** An account as written in the file. */
export interface RawAccount {
  /** Index of the statement in the file, from 0. */
  readonly index: number;
  /** STMTRS, CCSTMTRS or INVSTMTRS. */
  readonly kind: string;
  readonly org: string;
  /** ACCTID, BANKID, BROKERID, ACCTTYPE, CURDEF, and DTEND of its entries. */
  readonly fields: Fields;
  readonly balances: readonly RawBalance[];
}

/** A balance as written in the file. */
export interface RawBalance {
  readonly kind: 'ledger' | 'available';
  readonly fields: Fields;
}

/** A STMTTRN, not parsed. */
export interface RawEntry {
  readonly line: number;
  readonly account: RawAccount;
  readonly fields: Fields;
}

/** A statement that is not closed yet. */
interface OpenStatement extends RawAccount {
  readonly fields: Map<string, Field>;
  readonly balances: RawBalance[];
}

const STATEMENTS: ReadonlySet<string> = new Set(['STMTRS', 'CCSTMTRS', 'INVSTMTRS', 'LOANSTMTRS']);
const ACCOUNTS: ReadonlySet<string> = new Set(
  listOf('BANKACCTFROM CCACCTFROM INVACCTFROM LOANACCTFROM'),
);
const ACCOUNT_FIELDS: ReadonlySet<string> = new Set(['ACCTID', 'BANKID', 'BROKERID', 'ACCTTYPE']);
const ENTRY_FIELDS: ReadonlySet<string> = new Set(
  listOf(
    'TRNTYPE DTPOSTED TRNAMT FITID CHECKNUM NAME MEMO CORRECTACTION CURRENCY PAYEE.NAME',
    'EXTDPAYEE.NAME CURRENCY.CURSYM',
  ),
);
const BALANCES: ReadonlyMap<string, RawBalance['kind']> = new Map([
  ['LEDGERBAL', 'ledger'],
  ['AVAILBAL', 'available'],
]);
const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ['INVTRAN', 'securities transaction'],
  ['STMTTRNP', 'pending transaction'],
  ['LOANSTMTTRN', 'loan transaction'],
]);

/**
 * Finds statements, their accounts and their entries in a stream of tags, one entry at a time.
 * Errors: adds a problem for everything that is cut off, damaged or out of place, so that no entry is lost silently.
 */
export class Outline {
  readonly #problems: ProblemList;
  readonly #open: OpenAggregates;
  #org = '';
  #statement: OpenStatement | null = null;
  #entry: Map<string, Field> | null = null;
  #balance = new Map<string, Field>();
  /** Closed statements, in file order. */
  readonly accounts: RawAccount[] = [];
  /** Number of things that are not entries, by kind. */
  readonly leftOut = new Map<string, number>();

  constructor(problems: ProblemList) {
    this.#problems = problems;
    this.#open = new OpenAggregates(problems);
  }

  /** Reads all tags. */
  *entries(tags: Iterable<Tag>): Generator<RawEntry> {
    for (const tag of tags) {
      const meaning = this.#open.take(tag);
      if (meaning.kind === 'leaf') this.#takeLeaf(tag);
      if (meaning.kind === 'opened') this.#openAggregate(tag);
      if (meaning.kind !== 'closed') continue;
      for (const closed of meaning.closed) {
        const entry = this.#closeAggregate(closed);
        if (entry !== null) yield entry;
      }
    }
    this.#open.finish();
  }

  #openAggregate({ name, line }: Tag): void {
    const leftOut = LEFT_OUT.get(name);
    if (leftOut !== undefined) this.leaveOut(leftOut);
    if (STATEMENTS.has(name)) {
      this.#statement = {
        index: this.accounts.length,
        kind: name,
        org: this.#org,
        fields: new Map(),
        balances: [],
      };
    }
    if (name === 'STMTTRN') this.#entry = new Map();
    if (BALANCES.has(name)) this.#balance = new Map();
    if (name !== 'STMTTRN' || this.#statement !== null) return;
    this.#problems.add(line, '<STMTTRN>', null, 'Is outside a statement');
  }

  /** Counts something that is not an entry. */
  leaveOut(what: string): void {
    this.leftOut.set(what, (this.leftOut.get(what) ?? 0) + 1);
  }

  #closeAggregate({ name, line }: Aggregate): RawEntry | null {
    const statement = this.#statement;
    const balance = BALANCES.get(name);
    if (balance !== undefined) statement?.balances.push({ kind: balance, fields: this.#balance });
    if (STATEMENTS.has(name) && statement !== null) {
      this.#statement = null;
      this.accounts.push(statement);
    }
    if (name !== 'STMTTRN' || this.#entry === null) return null;
    const fields = this.#entry;
    this.#entry = null;
    return statement === null ? null : { line, account: statement, fields };
  }

  #takeLeaf({ name, line, value, isClose }: Tag): void {
    if (isClose || value === '') return;
    const context = this.#open.current ?? '';
    if (this.#entry !== null) {
      const key = context === 'STMTTRN' ? name : `${context}.${name}`;
      if (ENTRY_FIELDS.has(key)) setOnce(this.#entry, key, { line, value });
    } else if (ACCOUNTS.has(context)) {
      if (ACCOUNT_FIELDS.has(name)) setOnce(this.#statement?.fields, name, { line, value });
    } else if (BALANCES.has(context)) setOnce(this.#balance, name, { line, value });
    else if (context === 'FI' && name === 'ORG') this.#org = value;
    else if (name === 'CURDEF' || (name === 'DTEND' && LISTS.has(context)))
      setOnce(this.#statement?.fields, name, { line, value });
    else if (name === 'TRNAMT' && context.endsWith('TRANLIST')) {
      this.#problems.add(line, '<TRNAMT>', value, 'Is outside an entry');
    }
  }
}

function setOnce(fields: Map<string, Field> | undefined, key: string, field: Field): void {
  if (fields !== undefined && !fields.has(key)) fields.set(key, field);
}

/** Maximum number of tags that are open at once. */
const MAX_DEPTH = 64;

/** Aggregates around entries: if one is not closed, the file is cut off or damaged. */
const STRICT: ReadonlySet<string> = new Set(
  listOf('OFX STMTRS CCSTMTRS INVSTMTRS LOANSTMTRS BANKTRANLIST INVTRANLIST INVBANKTRAN STMTTRN'),
);

/** Lists of entries. Some banks do not close them, or close them twice: every entry in them is complete. */
const LISTS: ReadonlySet<string> = new Set(['BANKTRANLIST', 'INVTRANLIST']);

/** Aggregates whose tags have another meaning elsewhere. Some banks do not close them. */
const LOOSE: ReadonlySet<string> = new Set(
  listOf(
    'BANKACCTFROM CCACCTFROM INVACCTFROM LOANACCTFROM BANKACCTTO CCACCTTO INVACCTTO LOANACCTTO',
    'PAYEE EXTDPAYEE CURRENCY ORIGCURRENCY LEDGERBAL AVAILBAL BAL IMAGEDATA FI INVTRAN STMTTRNP',
    'LOANSTMTTRN',
  ),
);

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
class OpenAggregates {
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
