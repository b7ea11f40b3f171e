import { negated } from '../../statement/amounts.ts';
import { decode, inItsEncoding, NotUtf8, type OpenBytes } from '../../bytes/encoding.ts';
import { TextLines } from '../../bytes/text-lines.ts';
import { fileChanged, secondPass } from '../../statement/second-pass.ts';
import { ProblemList, Refusal } from '../../statement/statement-error.ts';
import type { Entry, Statement, StatementAccount } from '../../statement/statement.ts';
import { WarningList } from '../../statement/warnings.ts';
import type { ReaderOptions, YearSurvey } from '../../statement/years.ts';
import { accountKey, accountsOf } from './accounts.ts';
import { fieldsOf } from './fields.ts';
import { referenceId, SharedReferences } from './references.ts';
import { Outline, type MtStatement, type RawEntry } from './statements.ts';
import { swiftAmount, swiftDate, type StatementLine } from './statement-line.ts';
import { parseCodewords } from './codewords.ts';
import { parseSubfields, singleBlanks } from './subfields.ts';

/** Who was paid or paid, and what for. */
interface EntryTexts {
  readonly payee: string;
  readonly notes: string | null;
}

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
 * the `:61:` if it has words.
 */
export function textsOf(details: readonly string[], line: StatementLine): EntryTexts {
  const texts = textsOfDetails(details, line);
  const supplement = isText(line.supplement) ? line.supplement : '';
  const payee = texts.payee || line.reference || supplement;
  const known = `${payee} ${texts.notes}`;
  const others = [checkNumber(line), supplement].filter((part) => !known.includes(part));
  const notes = [texts.notes, ...others].filter((part) => part !== '');
  return { payee, notes: notes.length === 0 ? null : notes.join('; ') };
}

function textsOfDetails(
  details: readonly string[],
  { isDebit }: StatementLine,
): { payee: string; notes: string } {
  const structured = parseSubfields(details) ?? parseCodewords(details, isDebit);
  const whole = singleBlanks(details.join(' '));
  if (structured === null) return freeTexts(details, whole);
  const { name, purpose, kind } = structured;
  const [payee = whole, ...others] = [name, kind, purpose].filter((part) => part !== '');
  if (name === '') return { payee, notes: others.join(' ') };
  return { payee, notes: purpose || kind };
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

const FALLBACK_ENCODING = 'windows-1252';

/** An MT940 or MT942 file: the format decides only whether statements without an opening balance are interim ones. */
export type MtFormat = 'mt940' | 'mt942';

/**
 * Reads SWIFT statements (MT940) and interim reports (MT942), and examines all of the file. Entries of interim reports
 * are pending: the bank may still change or remove them. The date of an entry is its value date.
 * Errors: StatementError with every problem of the file, Refusal if reading cannot continue or there is no statement.
 * Source: SWIFT Standards MT, category 9; DFÜ agreement of the German banks; files of banks that deviate from them.
 */
export function readMt(openBytes: OpenBytes, options: ReaderOptions, format: MtFormat): Statement {
  if (options.map !== undefined) {
    throw new Refusal(`A column map is for CSV, but this file is ${format.toUpperCase()}`);
  }
  return inItsEncoding(openBytes, options.encoding, FALLBACK_ENCODING, (encoding) =>
    readAs(encoding, openBytes, options, format),
  );
}

function readAs(
  encoding: string,
  openBytes: OpenBytes,
  { negate = false, years }: ReaderOptions,
  format: MtFormat,
): Statement {
  const pass = (readTexts: ReadTexts): Pass =>
    new Pass(decode(openBytes(), encoding), format, readTexts);
  const examined = examine(
    pass(() => NO_TEXTS),
    years,
  );
  const { accounts, entryCount, warnings } = examined;
  return {
    format,
    encoding,
    entryCount,
    accounts: [...accounts.values()],
    leftOut: [],
    warnings,
    entries: () => secondPass(streamEntries(pass(textsOf), examined, negate), examined.entryCount),
  };
}

/** The content of a file. */
interface Examined {
  readonly references: SharedReferences;
  readonly accounts: ReadonlyMap<string, StatementAccount>;
  /** Keys of accounts by the index of the statement. */
  readonly keys: readonly string[];
  /** By the index of the statement: known only at its end. */
  readonly currencies: readonly (string | null)[];
  readonly entryCount: number;
  readonly warnings: Statement['warnings'] & {};
}

interface FoundEntry {
  readonly entry: Entry;
  readonly statement: MtStatement;
}

/** The first pass needs no texts: to read them takes longer than everything else. */
type ReadTexts = typeof textsOf;
const NO_TEXTS = { payee: '', notes: null };

/** One pass over the file. */
class Pass {
  readonly problems = new ProblemList();
  readonly warnings = new WarningList();
  readonly outline: Outline;
  readonly #lines: TextLines;
  readonly #readTexts: ReadTexts;

  constructor(text: Iterable<string>, format: MtFormat, readTexts: ReadTexts) {
    this.#readTexts = readTexts;
    this.#lines = new TextLines(text);
    this.outline = new Outline(this.problems, this.warnings, format === 'mt942');
  }

  /** Valid entries. At the end of the file, or where reading cannot continue, throws every problem. */
  *entries(): Generator<FoundEntry> {
    try {
      for (const raw of this.outline.entries(fieldsOf(this.#lines))) {
        const entry = this.#read(raw);
        if (entry === null) continue;
        raw.statement.add(entry.amount);
        yield { entry, statement: raw.statement };
      }
    } catch (error) {
      if (!(error instanceof Refusal) || error instanceof NotUtf8) throw error;
      this.problems.addRefusal(error, this.#lines.line);
    }
    this.problems.throwIfAny();
  }

  #read({ line, parsed, details, statement }: RawEntry): Entry | null {
    const date = swiftDate(parsed.valueDate);
    const amount = swiftAmount(parsed.amount);
    if (date === null) this.problems.add(line, ':61:', parsed.valueDate, 'Not a date');
    if (typeof amount === 'string') this.problems.add(line, ':61:', parsed.amount, amount);
    if (date === null || typeof amount === 'string') return null;
    const isPending = parsed.isExpected || this.outline.isInterim(statement);
    return {
      line,
      date,
      amount: parsed.isDebit ? negated(amount) : amount,
      currency: null,
      ...this.#readTexts(details, parsed),
      category: null,
      account: null,
      externalId: referenceId(parsed, details),
      ...(isPending ? { isPending } : {}),
    };
  }
}

/** The account of a statement may be followed by its currency, so entries are assigned to accounts at the end. */
function examine(pass: Pass, years: YearSurvey): Examined {
  years.begin(':61:');
  const references = new SharedReferences();
  const entryCounts: number[] = [];
  for (const { entry, statement } of pass.entries()) {
    references.note(statement.account, entry);
    years.note(entry.line, entry.date);
    entryCounts[statement.index] = (entryCounts[statement.index] ?? 0) + 1;
  }
  const { statements } = pass.outline;
  if (statements.length === 0) throw new Refusal('File has no account statement', 1);
  return {
    references,
    accounts: accountsOf(statements, entryCounts),
    keys: statements.map(accountKey),
    currencies: statements.map(({ currency }) => currency),
    entryCount: entryCounts.reduce((sum, count) => sum + count, 0),
    warnings: pass.warnings.all,
  };
}

function* streamEntries(pass: Pass, examined: Examined, negate: boolean): Generator<Entry> {
  const { references, accounts, keys, currencies } = examined;
  for (const { entry, statement } of pass.entries()) {
    const key = keys[statement.index];
    if (key === undefined) throw fileChanged();
    references.settle(statement.account, entry);
    entry.currency = currencies[statement.index] ?? null;
    entry.account = accounts.get(key)?.name ?? null;
    if (negate) entry.amount = negated(entry.amount);
    yield entry;
  }
}
