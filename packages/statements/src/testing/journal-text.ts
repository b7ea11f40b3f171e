/** A posting of a generated book. */
export interface BookPosting {
  readonly account: string;
  /** Cents; null for the posting whose amount follows from the others. */
  readonly cents: number | null;
  readonly currency: 'USD' | 'EUR';
}

/** A transaction of a generated book; all formats can have it. */
export interface BookTransaction {
  readonly date: string;
  readonly payee: string;
  readonly note: string;
  readonly tags: readonly string[];
  readonly isPending: boolean;
  readonly postings: readonly BookPosting[];
}

export type Dialect = 'beancount' | 'hledger' | 'ledger';

/** Formats a book in a dialect: beancount, hledger with decimal commas, or ledger with signs before the numbers. */
export function journalText(book: readonly BookTransaction[], dialect: Dialect): string {
  const head = { beancount: '', hledger: 'decimal-mark ,\n\n', ledger: '; -*- ledger -*-\n\n' };
  return head[dialect] + book.map((one) => transactionText(one, dialect)).join('\n');
}

function transactionText(one: BookTransaction, dialect: Dialect): string {
  const { payee, note, tags, isPending, postings } = one;
  const mark = isPending ? '!' : '*';
  const lines = postings.map((posting) => `  ${postingText(posting, dialect)}\n`).join('');
  if (dialect === 'beancount') {
    const shown = tags.map((tag) => ` #${tag}`).join('');
    return `${one.date} ${mark} "${payee}" "${note}"${shown}\n${lines}`;
  }
  const date = one.date.replaceAll('-', dialect === 'ledger' ? '/' : '-');
  const comment = tags.length === 0 ? '' : `  ; :${tags.join(':')}:\n`;
  return `${date} ${mark} ${payee}${note === '' ? '' : ` | ${note}`}\n${comment}${lines}`;
}

function postingText({ account, cents, currency }: BookPosting, dialect: Dialect): string {
  if (cents === null) return account;
  const sign = cents < 0 ? '-' : '';
  const digits = String(Math.abs(cents)).padStart(3, '0');
  const mark = dialect === 'hledger' ? ',' : '.';
  const group = dialect === 'hledger' ? '.' : ',';
  const units = digits.slice(0, -2).replace(/\B(?=(?:\d{3})+$)/g, group);
  const number = `${units}${mark}${digits.slice(-2)}`;
  if (dialect !== 'ledger') return `${account}  ${sign}${number} ${currency}`;
  return `${account}  ${currency === 'USD' ? '$' : '€'}${sign}${number}`;
}
