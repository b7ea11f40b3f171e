import { declaredByXml, fallbackOf } from '../../bytes/content.ts';
import { asJson, Kept } from '../../statement/kept.ts';
import { SignCheck } from '../../statement/sign-check.ts';
import { ProblemList, Refusal } from '../../statement/statement-error.ts';
import type { StatementContent } from '../../statement/statement.ts';
import type { ReaderOptions } from '../../statement/dates.ts';
import { findEntries, type FoundEntry } from '../ids.ts';
import { accountKey, nameAccounts } from './accounts.ts';
import { readEntry, ThousandsCheck, type EntryReading } from './entry.ts';
import { MarkupReader } from './markup.ts';
import { Outline } from './outline.ts';

const DELETION = 'deletion of an earlier entry';

/**
 * Reads OFX 1 (SGML), OFX 2 (XML) and QFX, and examines all of it: bank and credit card statements, and the cash
 * entries of investment statements.
 * Errors: StatementError with every problem of the file, Refusal if reading cannot continue or there is no statement.
 * Source: Open Financial Exchange 1.6 and 2.3, and files of banks that deviate from it.
 */
export function readOfx(text: Iterable<string>, options: ReaderOptions): StatementContent {
  const reader = new OfxReader(text, options);
  const { outline } = reader;
  const signs = new SignCheck();
  const found = findEntries(new Kept(reader.entries(), asJson<OfxEntry>(), options.scratch), {
    column: '<DTPOSTED>',
    years: options.years,
    leaveOut: (what) => outline.leaveOut(what),
    accept: ({ entry, direction }) => signs.add({ ...entry, direction }),
  });
  const accounts = nameAccounts(outline.accounts, found.entryCounts, options.decimal);
  const { warnings } = signs;
  return {
    entryCount: found.entryCount,
    accounts: [...new Set(accounts.values())],
    leftOut: [...outline.leftOut].map(([what, count]) => ({ what, count })),
    ...(options.negate === undefined && warnings.length > 0 && { warnings }),
    entries: () => found.entries(accounts),
  };
}

interface OfxEntry extends FoundEntry {
  readonly direction: number;
}

class OfxReader {
  readonly #problems = new ProblemList();
  readonly #tags: MarkupReader;
  readonly #reading: EntryReading;
  readonly outline = new Outline(this.#problems);

  constructor(text: Iterable<string>, { decimal, negate = false }: ReaderOptions) {
    const problems = this.#problems;
    this.#tags = new MarkupReader(text);
    this.#reading = { decimal, negate, thousands: new ThousandsCheck(), problems };
  }

  /** Valid entries. At the end of the file, or where reading cannot continue, throws every problem. */
  *entries(): Generator<OfxEntry> {
    try {
      for (const raw of this.outline.entries(this.#tags)) {
        const read = readEntry(raw, this.#reading);
        const { account } = raw;
        if (read?.isDeletion === true) this.outline.leaveOut(DELETION);
        else if (read !== null)
          yield {
            ...read,
            account: accountKey(account),
            series: account.index,
            owner: account.index,
          };
      }
    } catch (error) {
      this.#problems.addRefusal(error, this.#tags.line);
    }
    this.#reading.thousands.finish(this.#problems);
    this.#problems.throwIfAny();
    if (this.outline.accounts.length === 0) throw new Refusal('File has no account statement', 1);
  }
}

const LOOKED_AT_BYTES = 4096;

/** The fallback encoding: `CHARSET:` of an OFX 1 header, or that of an XML declaration. */
export function declaredCharset(head: Uint8Array): string {
  const text = Buffer.from(head.subarray(0, LOOKED_AT_BYTES)).toString('latin1');
  const charset = /CHARSET:([\w-]{1,20}?)(?=COMPRESSION|[^\w-])/.exec(text)?.[1];
  return charset === undefined ? declaredByXml(head) : fallbackOf(charset);
}
