import { singleBlanks } from '../statement/texts.ts';
import { readComment, LedgerDirectives, type Scope, LedgerState } from './directives.ts';
import { NO_AMOUNT, OpenTransaction, type Item } from './items.ts';
import type { JournalLine } from '../bytes/text-lines.ts';
import type { Reading } from './survey.ts';

const HEADER =
  /^([\d/.-]+)(?:=([\d/.-]*))?(?=[\s*!(]|$)\s*(?:([*!])\s*)?(?:\(([^()]*)\)\s*)?(.*)$/s;

/**
 * Reads the transactions of ledger and hledger, which share a grammar.
 * Errors: adds a problem for every line that is not understood. Source: the manuals of ledger 3 and hledger 1.
 */
export class LedgerReader {
  readonly #reading: Reading;
  readonly #state = new LedgerState();
  readonly #directives: LedgerDirectives;
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
    if (this.#reading.open !== null) yield this.#reading.open.finish();
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
    const before = this.#reading.open;
    this.#reading.open = null;
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
    const { open } = this.#reading;
    if (open !== null) {
      if (text.startsWith(';')) this.#comment(open, text, line.number);
      else this.#posting(open, text, line.number);
    } else if (this.#scope.kind === 'none') {
      if (!/^[;#*%|]/.test(text))
        this.#reading.problem(line.number, text, 'Is not part of a transaction');
    } else this.#directives.takeDetail(text, this.#scope, line.number);
  }

  #begin({ number, text }: JournalLine): void {
    const match = HEADER.exec(text);
    if (match === null) {
      this.#reading.problem(number, text, 'Not a transaction');
      return;
    }
    const [, dateText = '', , mark, code = '', rest = ''] = match;
    const date = this.#reading.dayOfTransaction(dateText, number, this.#state.year);
    const open = new OpenTransaction(number, date);
    open.isPending = mark === '!';
    open.code = singleBlanks(code);
    open.bucket = this.#state.bucket;
    open.tags.push(...this.#state.tags);
    this.#reading.open = open;
    const comment = /(?:^|\s);/.exec(rest);
    const description = comment === null ? rest : rest.slice(0, comment.index);
    const [payee = '', ...notes] = description.split(/(?:^|\s)\|(?:\s|$)/);
    open.payee = singleBlanks(payee);
    const note = singleBlanks(notes.join(' | '));
    if (note !== '') open.comments.push(note);
    if (comment !== null) this.#comment(open, rest.slice(comment.index).trim(), number);
  }

  #comment(open: OpenTransaction, text: string, line: number): void {
    const comment = readComment(text.replace(/^;+/, ''));
    open.tags.push(...comment.tags);
    const posting = open.postings.at(-1);
    if (comment.text !== '') (posting?.notes ?? open.comments).push(comment.text);
    if (comment.date === null || posting === undefined) return;
    const year = open.date === null ? this.#state.year : Number(open.date.slice(0, 4));
    posting.date = this.#reading.day(comment.date, line, year) ?? posting.date;
  }

  /** Reads a mark, the account, and after two spaces or a tab the amount. */
  #posting(open: OpenTransaction, text: string, line: number): void {
    const [, mark, body = ''] = /^(?:([*!])\s*)?(.*)$/s.exec(text)!;
    const gap = /\s{2,}|\t|\s(?=;)/.exec(body);
    const name = gap === null ? body : body.slice(0, gap.index);
    // A virtual account, which moves no money.
    if (/^\(.*\)$|^\[.*\]$/.test(name)) {
      this.#reading.notices.leaveOut('virtual posting');
      return;
    }
    const rest = gap === null ? '' : body.slice(gap.index).trim();
    const { amountText, comment } = splitComment(rest);
    // `<x>` is an account that ledger balances last.
    const account = this.#state.accountOf(singleBlanks(name.replace(/^<(.*)>$/, '$1')));
    const written = this.#reading.amount(amountText, 'ledger', line) ?? NO_AMOUNT;
    const amount = this.#state.withDefault(written);
    open.add({ line, account, isPending: mark === '!', date: null, notes: [], amount });
    if (comment !== '') this.#comment(open, comment, line);
  }
}

/** A semicolon begins a comment, except in a quoted commodity. */
function splitComment(text: string): { amountText: string; comment: string } {
  const end = /^(?:[^;"]|"[^"]*"|"[^";]*(?=;|$))*/.exec(text)?.[0].length ?? 0;
  return { amountText: text.slice(0, end).trim(), comment: text.slice(end) };
}
