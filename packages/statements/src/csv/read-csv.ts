import { entriesOf } from './entries.ts';
import { Examiner, type Reading } from './examine.ts';
import { findLayout } from './layout.ts';
import { RowReader } from './rows.ts';
import { decode, inItsEncoding, NotUtf8, type OpenBytes } from '../bytes/encoding.ts';
import { ProblemList, Refusal } from '../statement-error.ts';
import type { Entry, Statement, StatementOptions } from '../statement.ts';

const FALLBACK_ENCODING = 'windows-1252';

/**
 * Reads delimited text and examines all of it.
 * Errors: StatementError with every problem of the table, Refusal if reading cannot continue.
 * Source: RFC 4180, and files of banks that deviate from it.
 */
export function readCsv(openBytes: OpenBytes, options: StatementOptions): Statement {
  const { encoding, reading } = examineText(openBytes, options);
  return {
    format: 'csv',
    encoding,
    entryCount: reading.entryCount,
    accounts: [],
    leftOut: [],
    entries: () => streamEntries(decode(openBytes(), encoding), reading, options.negate ?? false),
  };
}

interface Examined {
  encoding: string;
  reading: Reading;
}

function examineText(openBytes: OpenBytes, options: StatementOptions): Examined {
  const examine = (encoding: string): Examined => examineAs(encoding, openBytes, options);
  return inItsEncoding(openBytes, options.encoding, FALLBACK_ENCODING, (encoding, isFallback) =>
    isFallback ? examineInFallback(encoding, examine) : examine(encoding),
  );
}

function examineInFallback(encoding: string, examine: (encoding: string) => Examined): Examined {
  try {
    return examine(encoding);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The header may exist, but in another encoding.
    const reason = `${error.message} (not valid utf-8, so read as ${encoding})`;
    throw new Refusal(reason, error.line, error.column);
  }
}

function examineAs(encoding: string, openBytes: OpenBytes, options: StatementOptions): Examined {
  const openText = () => decode(openBytes(), encoding);
  const problems = new ProblemList();
  const layout = findLayout(openText, options.map ?? {});
  const rows = new RowReader(openText(), layout.delimiter);
  const examiner = new Examiner(layout, options, problems);
  try {
    for (const row of rows) if (row.line >= layout.firstLine) examiner.add(row);
  } catch (error) {
    if (!(error instanceof Refusal) || error instanceof NotUtf8) throw error;
    problems.addRefusal(error, rows.line);
    problems.throwIfAny();
  }
  const reading = examiner.finish();
  problems.throwIfAny();
  return { encoding, reading };
}

function* streamEntries(
  text: Iterable<string>,
  reading: Reading,
  negate: boolean,
): Generator<Entry> {
  const rows = new RowReader(text, reading.layout.delimiter);
  try {
    yield* entriesOf(rows, reading, negate);
  } catch (error) {
    throw error instanceof Refusal ? error.at(rows.line) : error;
  }
}
