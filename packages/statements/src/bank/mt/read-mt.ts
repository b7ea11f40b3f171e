import { negated } from '../../statement/amounts.ts';
import { decode, inItsEncoding, NotUtf8, type OpenBytes } from '../../bytes/encoding.ts';
import { TextLines } from '../../bytes/text-lines.ts';
import { fileChanged, secondPass } from '../../statement/second-pass.ts';
import { ProblemList, Refusal } from '../../statement/statement-error.ts';
import type { Entry, Statement, StatementAccount } from '../../statement/statement.ts';
import { WarningList } from '../../statement/warnings.ts';
import type { ReaderOptions, YearSurvey } from '../../statement/years.ts';
import { accountKey, accountsOf } from './accounts.ts';
import { textsOf } from './details.ts';
import { fieldsOf } from './fields.ts';
import { referenceId, SharedReferences } from './references.ts';
import { Outline, type MtStatement, type RawEntry } from './statements.ts';
import { swiftAmount, swiftDate } from './statement-line.ts';

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
