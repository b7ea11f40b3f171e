import {
  declaredByXml,
  decode,
  fallbackOf,
  inItsEncoding,
  NotUtf8,
  type OpenBytes,
} from '../../bytes/encoding.ts';
import { accountKey, nameAccounts } from './accounts.ts';
import { readEntry, ThousandsDoubt, type EntryReading } from './entry.ts';
import { examineRepeated, type RepeatedIds, type Settle } from './ids.ts';
import { MarkupReader } from './markup.ts';
import { Outline, type RawAccount } from './outline.ts';
import { fileChanged, secondPass } from '../../statement/second-pass.ts';
import { SignDoubt } from '../../statement/sign-doubt.ts';
import { ProblemList, Refusal } from '../../statement/statement-error.ts';
import type { ReaderOptions, YearSurvey } from '../../statement/years.ts';
import type { Entry, Statement, StatementAccount } from '../../statement/statement.ts';

const DELETION = 'deletion of an earlier entry';
const REPEATED = 'repetition of an entry';

/**
 * Reads OFX 1 (SGML), OFX 2 (XML) and QFX, and examines all of it: bank and credit card statements, and the cash
 * entries of investment statements.
 * Errors: StatementError with every problem of the file, Refusal if reading cannot continue or there is no statement.
 * Source: Open Financial Exchange 1.6 and 2.3, and files of banks that deviate from it.
 */
export function readOfx(openBytes: OpenBytes, options: ReaderOptions): Statement {
  if (options.map !== undefined) throw new Refusal('A column map is for CSV, but this file is OFX');
  const [head] = openBytes();
  const fallback = declaredCharset(head ?? new Uint8Array());
  return inItsEncoding(openBytes, options.encoding, fallback, (encoding) =>
    readAs(encoding, openBytes, options),
  );
}

function readAs(encoding: string, openBytes: OpenBytes, options: ReaderOptions): Statement {
  const pass = (): Pass => new Pass(decode(openBytes(), encoding), options);
  const examined = examineRepeated((settle) => count(pass(), settle, options.years));
  const { statements, entryCounts, leftOut, signs } = examined;
  const entryCount = entryCounts.reduce((sum, count) => sum + count, 0);
  const accounts = nameAccounts(statements, entryCounts, options.decimal);
  return {
    format: 'ofx',
    encoding,
    entryCount,
    accounts: accounts.accounts,
    leftOut: [...leftOut].map(([what, count]) => ({ what, count })),
    ...(options.negate === undefined && signs.warnings.length > 0 && { warnings: signs.warnings }),
    entries: () => secondPass(streamEntries(pass(), examined, accounts.byStatement), entryCount),
  };
}

/** The content of a file, after repeated ids were found. */
interface Examined {
  readonly ids: RepeatedIds;
  readonly statements: readonly RawAccount[];
  /** By the index of the statement. */
  readonly entryCounts: readonly number[];
  readonly leftOut: ReadonlyMap<string, number>;
  readonly signs: SignDoubt;
}

interface FoundEntry {
  readonly entry: Entry;
  readonly account: RawAccount;
  readonly direction: number;
}

/** One pass over the file. */
class Pass {
  readonly problems = new ProblemList();
  readonly outline = new Outline(this.problems);
  readonly #tags: MarkupReader;
  readonly #reading: EntryReading;

  constructor(text: Iterable<string>, options: ReaderOptions) {
    this.#tags = new MarkupReader(text);
    this.#reading = {
      decimal: options.decimal,
      negate: options.negate ?? false,
      doubt: new ThousandsDoubt(),
      problems: this.problems,
    };
  }

  /** Valid entries. At the end of the file, or where reading cannot continue, throws every problem. */
  *entries(): Generator<FoundEntry> {
    try {
      for (const raw of this.outline.entries(this.#tags)) {
        const read = readEntry(raw, this.#reading);
        if (read?.isDeletion === true) this.outline.countLeftOut(DELETION);
        else if (read !== null) yield { ...read, account: raw.account };
      }
    } catch (error) {
      if (!(error instanceof Refusal) || error instanceof NotUtf8) throw error;
      this.problems.addRefusal(error, this.#tags.line);
    }
    this.#reading.doubt.finish(this.problems);
    this.problems.throwIfAny();
  }
}

/** Counts the entries of each statement that `settle` accepts. */
function count(pass: Pass, settle: Settle, years: YearSurvey): Omit<Examined, 'ids'> {
  years.begin('<DTPOSTED>');
  const entryCounts: number[] = [];
  const signs = new SignDoubt();
  for (const { entry, account, direction } of pass.entries()) {
    const { index } = account;
    if (!settle(accountKey(account), index, entry)) pass.outline.countLeftOut(REPEATED);
    else {
      entryCounts[index] = (entryCounts[index] ?? 0) + 1;
      years.note(entry.line, entry.date);
      signs.note({ ...entry, direction });
    }
  }
  const { accounts: statements, leftOut } = pass.outline;
  const counts = statements.map((_, at) => entryCounts[at] ?? 0);
  return { statements, entryCounts: counts, leftOut, signs };
}

function* streamEntries(
  pass: Pass,
  { ids }: Examined,
  accounts: readonly StatementAccount[],
): Generator<Entry> {
  const settle = ids.begin();
  for (const { entry, account } of pass.entries()) {
    if (!settle(accountKey(account), account.index, entry)) continue;
    const name = accounts[account.index]?.name;
    if (name === undefined) throw fileChanged();
    yield { ...entry, account: name };
  }
}

const LOOKED_AT_BYTES = 4096;

/** The fallback encoding: `CHARSET:` of an OFX 1 header, or that of an XML declaration. */
function declaredCharset(head: Uint8Array): string {
  const text = Buffer.from(head.subarray(0, LOOKED_AT_BYTES)).toString('latin1');
  const charset = /CHARSET:([\w-]{1,20}?)(?=COMPRESSION|[^\w-])/.exec(text)?.[1];
  return charset === undefined ? declaredByXml(head) : fallbackOf(charset);
}
