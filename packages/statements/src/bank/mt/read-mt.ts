import { joinNotes, singleBlanks, copyOf } from '../../statement/texts.ts';
import { negated } from '../../statement/amounts.ts';
import { TextLines } from '../../bytes/text-lines.ts';
import { asJson, Kept } from '../../statement/kept.ts';
import { ProblemList, Refusal, WarningList } from '../../statement/statement-error.ts';
import type { Entry, StatementAccount, StatementContent } from '../../statement/statement.ts';
import type { ReaderOptions } from '../../statement/dates.ts';
import {
  fieldsOf,
  swiftAmount,
  swiftDate,
  type StatementLine,
  Outline,
  type MtStatement,
  type RawEntry,
} from './statements.ts';
import { parseCodewords, parseSubfields } from './texts.ts';
import { endOf, MAX_NAME_LENGTH, RepeatFinder } from '../ids.ts';

/** The code and the number of a booking slip before a text that is not structured. */
const UNSTRUCTURED = /^\s*999(?:PN\d{4})?/;
/** Labels in texts of Dutch banks: `NAAM: X`. */
const LABEL = /(?:^|[\s/])(?:NAAM|NAME): */i;
const NEXT_LABEL = /\n|\s{2}|\s[A-Z][A-Z.]{2,14}: /;
/** Words, not only a number of an account or an order. */
const WORDS = /\p{L}{3}/u;
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/;

/**
 * The texts of an entry. The payee is the name of the counterparty if the `:86:` shows it, else the bank's word for
 * the kind of entry, else the whole text. The notes are the purpose, the number of a cheque, and the second line of
 * the `:61:` if it has words. The number of the other side's account is missing if the bank gives none.
 */
export function textsOf(
  details: readonly string[],
  line: StatementLine,
): Pick<Entry, 'payee' | 'notes' | 'otherAccount'> {
  const texts = textsOfDetails(details, line);
  const supplement = isText(line.supplement) ? line.supplement : '';
  const payee = texts.payee || line.reference || supplement;
  const known = `${payee} ${texts.notes}`;
  const others = [checkNumber(line), supplement].filter((part) => !known.includes(part));
  const { account = '' } = texts;
  return {
    payee,
    notes: joinNotes([texts.notes, ...others]),
    ...(account !== '' && { otherAccount: copyOf(account) }),
  };
}

function textsOfDetails(
  details: readonly string[],
  { isDebit }: StatementLine,
): { payee: string; notes: string; account?: string } {
  const structured = parseSubfields(details) ?? parseCodewords(details, isDebit);
  const whole = singleBlanks(details.join(' '));
  if (structured === null) return freeTexts(details, whole);
  const { name, purpose, kind, account } = structured;
  const [payee = whole, ...others] = [name, kind, purpose].filter((part) => part !== '');
  if (name === '') return { payee, notes: others.join(' '), account };
  return { payee, notes: purpose || kind, account };
}

function freeTexts(details: readonly string[], whole: string): { payee: string; notes: string } {
  const text = details.join('\n');
  const label = LABEL.exec(text);
  if (label === null) return { payee: whole.replace(UNSTRUCTURED, '').trim(), notes: '' };
  const rest = text.slice(label.index + label[0].length);
  const name = singleBlanks(rest.slice(0, NEXT_LABEL.exec(rest)?.index));
  return name === '' ? { payee: whole, notes: '' } : { payee: name, notes: whole };
}

/** Cheques have their number as the reference. */
function checkNumber({ type, reference }: StatementLine): string {
  return type.endsWith('CHK') && /^\d{1,16}$/.test(reference) ? `No. ${reference}` : '';
}

function isText(supplement: string): boolean {
  return WORDS.test(supplement) && !supplement.startsWith('/') && !IBAN.test(supplement);
}

/**
 * Reads SWIFT statements (MT940) and interim reports (MT942), and examines all of the file. `isInterim`: statements
 * without an opening balance are interim reports, whose entries are pending, because the bank may still change or
 * remove them. The date of an entry is its value date.
 * Errors: StatementError with every problem of the file, Refusal if reading cannot continue or there is no statement.
 * Source: SWIFT Standards MT, category 9; DFÜ agreement of the German banks; files of banks that deviate from them.
 */
export function readMt(
  text: Iterable<string>,
  { negate = false, years, scratch }: ReaderOptions,
  isInterim: boolean,
): StatementContent {
  const reader = new MtReader(text, isInterim);
  const found = new Kept(reader.entries(), asJson<FoundEntry>(), scratch);
  const references = new SharedReferences();
  const entryCounts: number[] = [];
  years.begin(':61:');
  for (const { entry, statement, account } of found) {
    references.note(account, entry);
    years.note(entry.line, entry.date);
    entryCounts[statement] = (entryCounts[statement] ?? 0) + 1;
  }
  const { statements } = reader.outline;
  const accounts = accountsOf(statements, entryCounts);
  const owners = statements.map((statement) => ({
    // The currency may follow the entries.
    currency: statement.currency,
    name: accounts.get(accountKey(statement))?.name ?? null,
  }));
  return {
    entryCount: entryCounts.reduce((sum, count) => sum + count, 0),
    accounts: [...accounts.values()],
    leftOut: [],
    warnings: reader.warnings.all,
    *entries() {
      for (const { entry, statement, account } of found) {
        const { currency, name } = owners[statement]!;
        references.setFinalId(account, entry);
        const amount = negate ? negated(entry.amount) : entry.amount;
        yield { ...entry, amount, currency, account: name };
      }
    },
  };
}

/** An entry, the index of its statement, and the account that the statement names. */
interface FoundEntry {
  readonly entry: Entry;
  readonly statement: number;
  readonly account: string;
}

class MtReader {
  readonly #problems = new ProblemList();
  readonly warnings = new WarningList();
  readonly outline: Outline;
  readonly #lines: TextLines;

  constructor(text: Iterable<string>, isInterim: boolean) {
    this.#lines = new TextLines(text);
    this.outline = new Outline(this.#problems, this.warnings, isInterim);
  }

  /** Valid entries. At the end of the file, or where reading cannot continue, throws every problem. */
  *entries(): Generator<FoundEntry> {
    try {
      for (const raw of this.outline.entries(fieldsOf(this.#lines))) {
        const entry = this.#read(raw);
        if (entry === null) continue;
        const { statement } = raw;
        statement.add(entry.amount);
        yield { entry, statement: statement.index, account: statement.account };
      }
    } catch (error) {
      this.#problems.addRefusal(error, this.#lines.line);
    }
    this.#problems.throwIfAny();
    if (this.outline.statements.length === 0) throw new Refusal('File has no account statement', 1);
  }

  #read({ line, parsed, details, statement }: RawEntry): Entry | null {
    const date = swiftDate(parsed.valueDate);
    const amount = swiftAmount(parsed.amount);
    if (date === null) this.#problems.add(line, ':61:', parsed.valueDate, 'Not a date');
    if (typeof amount === 'string') this.#problems.add(line, ':61:', parsed.amount, amount);
    if (date === null || typeof amount === 'string') return null;
    const isPending = parsed.isExpected || this.outline.isInterim(statement);
    return {
      line,
      date,
      amount: parsed.isDebit ? negated(amount) : amount,
      currency: null,
      ...textsOf(details, parsed),
      category: null,
      account: null,
      externalId: referenceId(parsed, details),
      ...(isPending ? { isPending } : {}),
    };
  }
}

const MIN_ID_LENGTH = 10;
/** Without leading zeros. A shorter number counts entries from 1, again in each statement or each year. */
const MIN_SIGNIFICANT_LENGTH = 8;
const MIN_DIGITS = 6;
const REFERENCE = /^[A-Z0-9][A-Z0-9/.+-]*$/i;

/**
 * The bank's reference of an entry if it can be an id, else null. Banks write texts, counters and the references of
 * others behind `//`, and an id that is none would hide an entry of a later file. So an id has ten characters or more,
 * six digits or more, no blanks, and is no part of the entry's own text.
 */
function referenceId({ bankReference }: StatementLine, details: readonly string[]): string | null {
  const id = bankReference;
  if (id.length < MIN_ID_LENGTH || !REFERENCE.test(id)) return null;
  if (id.replace(/^0+/, '').length < MIN_SIGNIFICANT_LENGTH) return null;
  if (id.replace(/\D/g, '').length < MIN_DIGITS) return null;
  const text = details.join('');
  return text.includes(id) ? null : copyOf(id);
}

/** Finds references that several entries of an account share: they identify none of them. */
class SharedReferences {
  readonly #finder = new RepeatFinder();
  /** Too many are shared for any to be trusted. */
  #areAllShared = false;

  /** Adds an entry of the first reader. */
  note(account: string, entry: Entry): void {
    if (entry.externalId === null || this.#areAllShared) return;
    try {
      this.#finder.add(account, entry);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#areAllShared = true;
    }
  }

  /** Removes the id of an entry if it is shared, and else states what the bank gave. */
  setFinalId(account: string, entry: Entry): void {
    const id = entry.externalId;
    if (id === null) return;
    if (this.#areAllShared || this.#finder.isRepeated(account, entry)) entry.externalId = null;
    else entry.bankId = { id, nth: 1, isRepeated: false };
  }
}

/** The parts of a `:25:`, which identify an account together with its currency. */
interface AccountNumber {
  /** A national bank code or a BIC; null if there is none. */
  readonly bankId: string | null;
  readonly id: string;
}

/**
 * Splits `BANK/NUMBER`, or a number alone, and removes the currency at its end: `0123456789EUR`, `…/HUF`.
 * An IBAN is the number of the account: its bank is not repeated.
 */
function accountNumber({ account, bank, currency }: MtStatement): AccountNumber {
  const code = currency?.toUpperCase() ?? '';
  const hasCurrency =
    code !== '' && /[\d/ -]$/.test(account.slice(0, -3)) && account.endsWith(code);
  const text = hasCurrency ? account.slice(0, -3).replace(/[/ -]$/, '') : account;
  const slash = text.indexOf('/');
  const id = (slash < 0 ? text : text.slice(slash + 1)).replace(/\s/g, '');
  const before = slash < 0 ? '' : text.slice(0, slash).trim();
  return id === '' ? { bankId: bank, id: before } : { bankId: before || bank, id };
}

/** Identifies the account of a statement within the file. */
function accountKey(statement: MtStatement): string {
  const { bankId, id } = accountNumber(statement);
  return JSON.stringify([bankId, id, statement.currency]);
}

/** The accounts of a file by their keys. Statements without a number have no account. */
function accountsOf(
  statements: readonly MtStatement[],
  entryCounts: readonly number[],
): ReadonlyMap<string, StatementAccount> {
  const byKey = new Map<
    string,
    StatementAccount & { balances: StatementAccount['balances'][number][] }
  >();
  for (const statement of statements) {
    const key = accountKey(statement);
    const { bankId, id } = accountNumber(statement);
    if (id === '') continue;
    const { currency } = statement;
    const empty = { name: '', id, bankId, type: 'account', currency, entryCount: 0, balances: [] };
    const account = byKey.get(key) ?? empty;
    byKey.set(key, account);
    account.entryCount += entryCounts[statement.index] ?? 0;
    for (const { kind, amount, date } of statement.balances) {
      account.balances.push({ kind, amount, date });
    }
  }
  const names = uniqueNames([...byKey.values()]);
  [...byKey.values()].forEach((account, at) => {
    account.name = names[at]!;
  });
  return byKey;
}

/** Names accounts by as much of their numbers as distinguishes them. */
function uniqueNames(accounts: readonly StatementAccount[]): string[] {
  const levels = [shortName, numberName, bankName, currencyName].map((nameOf) => {
    const names = accounts.map(nameOf);
    const counts = Map.groupBy(names, (name) => name);
    return { names, isUnique: (name: string) => counts.get(name)?.length === 1 };
  });
  return accounts.map((_, at) => {
    const level = levels.find(({ names, isUnique }) => isUnique(names[at]!));
    return (level ?? levels.at(-1)!).names[at]!;
  });
}

function shortName({ id }: StatementAccount): string {
  return `Account ${endOf(id)}`.trim();
}

function numberName({ id }: StatementAccount): string {
  return `Account ${id}`.slice(-MAX_NAME_LENGTH).trim();
}

function bankName({ id, bankId }: StatementAccount): string {
  return `Account ${bankId ?? ''} ${id}`.replace('  ', ' ').slice(-MAX_NAME_LENGTH).trim();
}

function currencyName(account: StatementAccount): string {
  const currency = account.currency?.toUpperCase() ?? '';
  return `${bankName(account)} ${currency}`.slice(-MAX_NAME_LENGTH).trim();
}
