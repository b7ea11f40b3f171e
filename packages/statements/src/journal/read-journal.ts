import type { JournalFormat } from '../bytes/detect-format.ts';
import type { OpenText } from '../bytes/encoding.ts';
import { Refusal } from '../statement/statement-error.ts';
import type { Entry, StatementAccount, StatementContent } from '../statement/statement.ts';
import type { ReaderOptions, YearSurvey } from '../statement/years.ts';
import { accountKinds, type AccountKinds } from './kinds.ts';
import type { Book } from './entries.ts';
import type { Padding } from './balances.ts';
import { JournalReader, survey, type JournalSource } from './journal-reader.ts';
import { Survey } from './text/survey.ts';
import { nameKey } from '@coffer/core/text';

const MAX_ACCOUNT_NAME = 45;
const MAX_CATEGORY_NAME = 100;
const MAX_UNKNOWN_NAMED = 5;

/** A journal that was examined. */
interface Examined {
  readonly source: JournalSource;
  readonly survey: Survey;
  readonly book: Book;
  readonly paddings: ReadonlyMap<number, readonly Padding[]>;
}

/**
 * The reader of a format. It reads a journal of beancount, hledger or ledger and examines all of it. Each transaction
 * gives an entry for each account of money that it moves; its other accounts are the categories.
 * Errors: StatementError with every problem of the file; Refusal if it has no transaction, but includes other files.
 */
export function readJournalOf(format: JournalFormat) {
  return (openText: OpenText, options: ReaderOptions): StatementContent => {
    if (options.negate === true) {
      throw new Refusal('A journal has one sign for each direction: it cannot be negated');
    }
    return examine({ openText, format, options });
  };
}

function examine(source: JournalSource): StatementContent {
  const found = new Survey();
  survey(source, found);
  const kinds = accountKinds(found);
  const book = bookOf(found, kinds);
  const { years } = source.options;
  const first = count(new JournalReader(source, found, book, new Map()), years);
  const paddings = first.reader.paddings;
  // What pads add is known only at the end of the file.
  const { reader, counts, currencies } =
    paddings.size === 0 ? first : count(new JournalReader(source, found, book, paddings), years);
  const entryCount = [...counts.values()].reduce((sum, of) => sum + of, 0);
  const { notices, transactionCount } = reader;
  const includes = notices.includedFiles;
  if (transactionCount === 0 && includes !== null) {
    throw new Refusal(
      `File has no transaction of its own, but includes ${includes}: import them`,
      1,
    );
  }
  reader.finish();
  warn(reader, kinds, found);
  const examined = { source, survey: found, book, paddings };
  return {
    entryCount,
    transactionCount,
    leftOut: notices.leftOut,
    warnings: notices.warnings,
    accounts: accountsOf(counts, currencies, book, kinds),
    entries: () => streamEntries(examined),
  };
}

function bookOf(found: Survey, kinds: AccountKinds): Book {
  const isMoney = (account: string): boolean => kinds.of(account) !== 'category';
  const all = [...found.accounts];
  const names = shortNames(all.filter(isMoney), MAX_ACCOUNT_NAME);
  const categories = shortNames(
    all.filter((account) => !isMoney(account)),
    MAX_CATEGORY_NAME,
  );
  return {
    isMoney,
    accountName: (account) => names.get(account)!,
    categoryName: (account) => categories.get(account)!,
    isBareMoney: found.isBareMoney,
  };
}

/** Counts entries by account, and notes the currencies of each account. */
function count(reader: JournalReader, years: YearSurvey) {
  years.begin(null);
  const counts = new Map<string, number>();
  const currencies = new Map<string, Set<string | null>>();
  for (const { account, entry } of reader.entries()) {
    years.note(entry.line, entry.date);
    counts.set(account, (counts.get(account) ?? 0) + 1);
    const own = currencies.get(account) ?? new Set();
    currencies.set(account, own.add(entry.currency));
  }
  return { reader, counts, currencies };
}

function accountsOf(
  counts: ReadonlyMap<string, number>,
  currencies: ReadonlyMap<string, ReadonlySet<string | null>>,
  book: Book,
  kinds: AccountKinds,
): StatementAccount[] {
  return [...counts].map(([id, entryCount]) => {
    const own = [...currencies.get(id)!];
    const currency = own.length === 1 ? own[0]! : null;
    const name = book.accountName(id);
    return { name, id, bankId: null, type: kinds.of(id), currency, entryCount, balances: [] };
  });
}

function warn(
  { notices, marks }: JournalReader,
  { unknown, isUnknownMoney }: AccountKinds,
  { hasBareHoldings }: Survey,
): void {
  if (hasBareHoldings) {
    notices.warn(null, 'Amounts without a currency are no money here, because most have one');
  }

  if (unknown.length > 0) {
    const names = unknown.slice(0, MAX_UNKNOWN_NAMED).map((name) => `"${name.slice(0, 60)}"`);
    const more = unknown.length > names.length ? ` and ${unknown.length - names.length} more` : '';
    const taken = isUnknownMoney ? 'accounts with money' : 'categories';
    const text = `${names.join(', ')}${more} are taken for ${taken}: declare types such as "account NAME  ; type: Asset"`;
    notices.warn(null, text);
  }
  if (marks.firstUnclear === null) return;
  const { line, text } = marks.firstUnclear;
  notices.warn(
    line,
    `"${text}" is taken for thousands: specify the decimal sign if it is a fraction`,
  );
}

function* streamEntries({ source, survey: found, book, paddings }: Examined): Generator<Entry> {
  for (const { entry } of new JournalReader(source, found, book, paddings).entries()) yield entry;
}

/**
 * Names accounts without their top: `Expenses:Food:Bread` is `Food:Bread`. Two that would be equal keep it. The end of
 * a name is used if it is longer than `maxLength`; a number distinguishes names that are still equal.
 */
function shortNames(accounts: Iterable<string>, maxLength: number): Map<string, string> {
  const all = [...accounts];
  const counts = new Map<string, number>();
  for (const account of all) {
    const key = nameKey(short(account, maxLength));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const used = new Map<string, number>();
  for (const account of all) {
    const own = short(account, maxLength);
    const isShared = (counts.get(nameKey(own)) ?? 0) > 1;
    names.set(account, unused(isShared ? ending(account, maxLength) : own, used, maxLength));
  }
  return names;
}

function short(account: string, maxLength: number): string {
  return ending(account.slice(account.indexOf(':') + 1), maxLength);
}

/** The end of a text, which begins with a whole part of the account if there is one. */
function ending(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = text.slice(-maxLength);
  const colon = end.indexOf(':');
  return (colon < 0 || colon === end.length - 1 ? end : end.slice(colon + 1)).toWellFormed();
}

/** The name, or the first free one with a number. `used` has the last number of each name. */
function unused(name: string, used: Map<string, number>, maxLength: number): string {
  const key = nameKey(name);
  const last = used.get(key);
  if (last === undefined) {
    used.set(key, 1);
    return name;
  }
  used.set(key, last + 1);
  const number = ` ${last + 1}`;
  return unused(`${name.slice(0, maxLength - number.length)}${number}`, used, maxLength);
}
