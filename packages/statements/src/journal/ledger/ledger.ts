import { singleBlanks } from '../../statement/texts.ts';
import { Refusal } from '../../statement/statement-error.ts';
import { readComment, LedgerDirectives, type Scope, LedgerState } from './directives.ts';
import {
  parseDay,
  OpenTransaction,
  type Item,
  NO_AMOUNT,
  type OpenPosting,
} from '../text/journal.ts';
import type { JournalLine } from '../../bytes/text-lines.ts';
import type { Reading } from '../text/survey.ts';
import { parseAmount } from '../text/amount.ts';
import type { Marks } from '../text/decimals.ts';

const HEADER =
  /^([\d/.-]+)(?:=([\d/.-]*))?(?=[\s*!(]|$)\s*(?:([*!])\s*)?(?:\(([^()]*)\)\s*)?(.*)$/s;
const MAX_POSTINGS = 10_000;

/**
 * Reads the transactions of ledger and hledger, which share a grammar.
 * Errors: adds a problem for every line that is not understood. Source: the manuals of ledger 3 and hledger 1.
 */
export class LedgerReader {
  readonly #reading: Reading;
  readonly #state = new LedgerState();
  readonly #directives: LedgerDirectives;
  #open: OpenTransaction | null = null;
  /** What an indented line belongs to. */
  #scope: Scope = { kind: 'none' };
  /** The word that ends a block whose lines are skipped. */
  #blockEnd: RegExp | null = null;
  /** The first line of the block that looks like a transaction. */
  #hidden: number | null = null;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#directives = new LedgerDirectives(this.#state, reading);
  }

  *items(lines: Iterable<JournalLine>): Generator<Item> {
    for (const line of lines) {
      const closed = this.#take(line);
      if (closed !== null) yield closed.finish();
    }
    if (this.#blockEnd !== null && this.#hidden !== null) {
      this.#reading.notices.warn(this.#hidden, 'Is in a comment block that is never ended');
    }
    if (this.#open !== null) yield this.#open.finish();
  }

  /** Takes a line; returns the transaction before it if the line ends it. */
  #take(line: JournalLine): OpenTransaction | null {
    const { text } = line;
    if (this.#blockEnd !== null) {
      if (this.#blockEnd.test(text)) this.#blockEnd = null;
      else if (/^\d{4}[-/.]\d/.test(text)) this.#hidden ??= line.number;
      return null;
    }
    if (text === '' || text.trim() === '') return null;
    if (/^\s/.test(text)) {
      this.#takeIndented(line);
      return null;
    }
    if (/^[;#*%|]/.test(text)) return null;
    const before = this.#open;
    this.#open = null;
    this.#scope = { kind: 'skip' };
    if (/^\d/.test(text)) this.#begin(line);
    else this.#takeDirective(line);
    return before;
  }

  #takeDirective({ number, text }: JournalLine): void {
    const block = /^[!@]?(comment|test)\b/.exec(text)?.[1];
    this.#hidden = null;
    if (block !== undefined) this.#blockEnd = /^[!@]?end(?:\s+(?:comment|test))?\s*$/;
    else this.#scope = this.#directives.take(text, number);
  }

  #takeIndented(line: JournalLine): void {
    const text = line.text.trim();
    if (this.#open !== null) {
      if (text.startsWith(';')) this.#comment(text, line);
      else this.#posting(text, line);
    } else if (this.#scope.kind === 'none') {
      if (!/^[;#*%|]/.test(text)) this.#problem(line.number, text, 'Is not part of a transaction');
    } else this.#directives.takeDetail(text, this.#scope, line.number);
  }

  #begin({ number, text }: JournalLine): void {
    const match = HEADER.exec(text);
    if (match === null) {
      this.#problem(number, text, 'Not a transaction');
      return;
    }
    const [, dateText = '', , mark, code = '', rest = ''] = match;
    const day = parseDay(dateText, this.#state.year, this.#reading.dateOrder);
    if (typeof day === 'string') this.#problem(number, dateText, day);
    const open = new OpenTransaction(number, typeof day === 'string' ? null : day.date);
    open.isPending = mark === '!';
    open.code = singleBlanks(code);
    open.bucket = this.#state.bucket;
    open.tags.push(...this.#state.tags);
    this.#open = open;
    const comment = /(?:^|\s);/.exec(rest);
    const description = comment === null ? rest : rest.slice(0, comment.index);
    const [payee = '', ...notes] = description.split(/(?:^|\s)\|(?:\s|$)/);
    open.payee = singleBlanks(payee);
    const note = singleBlanks(notes.join(' | '));
    if (note !== '') open.comments.push(note);
    if (comment !== null) this.#comment(rest.slice(comment.index).trim(), { number, text });
  }

  #comment(text: string, { number }: Pick<JournalLine, 'number' | 'text'>): void {
    const open = this.#open!;
    const comment = readComment(text.replace(/^;+/, ''));
    open.tags.push(...comment.tags);
    const posting = open.postings.at(-1);
    if (comment.text !== '') (posting?.notes ?? open.comments).push(comment.text);
    if (comment.date === null || posting === undefined) return;
    const day = parseDay(comment.date, yearOf(open.date) ?? this.#state.year);
    if (typeof day === 'string') this.#problem(number, comment.date, day);
    else posting.date = day.date;
  }

  #posting(text: string, { number }: JournalLine): void {
    const open = this.#open!;
    if (open.postings.length >= MAX_POSTINGS) {
      throw new Refusal(`Transaction has more than ${MAX_POSTINGS} postings`, open.line);
    }
    const { notices, marks } = this.#reading;
    const read = readLedgerPosting(text, number, this.#state, marks);
    if (read.kind === 'virtual') {
      notices.leaveOut('virtual posting');
      return;
    }
    if (read.fault !== null) this.#problem(number, read.fault.value, read.fault.reason);
    open.postings.push(read.posting);
    if (read.comment !== '') this.#comment(read.comment, { number, text });
  }

  #problem(line: number, value: string, reason: string): void {
    if (this.#open !== null) this.#open.isInvalid = true;
    this.#reading.notices.problems.add(line, null, value, reason);
  }
}

function yearOf(date: string | null): number | null {
  return date === null ? null : Number(date.slice(0, 4));
}

/** A posting, or one to a virtual account, which moves no money. */
type PostingReading =
  | { readonly kind: 'virtual' }
  | {
      readonly kind: 'real';
      readonly posting: OpenPosting;
      readonly comment: string;
      readonly fault: { readonly value: string; readonly reason: string } | null;
    };

/** Reads an indented line of a transaction: a mark, the account, and after two spaces or a tab the amount. */
function readLedgerPosting(
  text: string,
  line: number,
  state: LedgerState,
  marks: Marks,
): PostingReading {
  const [, mark, body = ''] = /^(?:([*!])\s*)?(.*)$/s.exec(text)!;
  const gap = /\s{2,}|\t|\s(?=;)/.exec(body);
  const name = gap === null ? body : body.slice(0, gap.index);
  const rest = gap === null ? '' : body.slice(gap.index).trim();
  if (/^\(.*\)$|^\[.*\]$/.test(name)) return { kind: 'virtual' };
  const { amountText, comment } = splitComment(rest);
  const posting: OpenPosting = {
    line,
    // `<x>` is an account that ledger balances last.
    account: state.accountOf(singleBlanks(name.replace(/^<(.*)>$/, '$1'))),
    isPending: mark === '!',
    date: null,
    notes: [],
    amount: NO_AMOUNT,
  };
  try {
    const amount = state.withDefault(parseAmount(amountText, 'ledger', marks, line));
    return { kind: 'real', posting: { ...posting, amount }, comment, fault: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: 'real', posting, comment, fault: { value: amountText, reason: error.message } };
  }
}

/** A semicolon begins a comment, except in a quoted commodity. */
function splitComment(text: string): { amountText: string; comment: string } {
  const end = /^(?:[^;"]|"[^"]*"|"[^";]*(?=;|$))*/.exec(text)?.[0].length ?? 0;
  return { amountText: text.slice(0, end).trim(), comment: text.slice(end) };
}
