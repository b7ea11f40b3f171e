import { Refusal } from '../../statement/statement-error.ts';
import { parseAmount } from '../text/amount.ts';
import { NO_AMOUNT, singleBlanks, type OpenPosting } from '../text/journal.ts';
import type { LedgerState } from './state.ts';
import type { Marks } from '../text/marks.ts';

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
export function readLedgerPosting(
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
