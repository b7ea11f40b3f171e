import { entriesOf } from './csv/entries.ts';
import { Examiner, type Reading } from './csv/examine.ts';
import { findLayout } from './csv/layout.ts';
import { RowReader } from './csv/rows.ts';
import { decode, encodingName, NotUtf8, utf16Of } from './encoding.ts';
import { ProblemList, Refusal } from './statement-error.ts';
import type { Entry, Statement, StatementOptions } from './statement.ts';

const FALLBACK_ENCODING = 'windows-1252';

/** Opens a file's unpacked content from its first byte. */
type OpenBytes = () => Iterable<Uint8Array>;

/**
 * Reads a table of delimited text, examining the whole of it.
 * Errors: StatementError with every problem of the table, Refusal where it cannot be read on.
 * Source: RFC 4180, and what banks make of it.
 */
export function readCsv(openBytes: OpenBytes, options: StatementOptions): Statement {
  const { encoding, reading } = examineText(openBytes, options);
  return {
    format: 'csv',
    encoding,
    entryCount: reading.entryCount,
    entries: () => streamEntries(decode(openBytes(), encoding), reading, options.negate ?? false),
  };
}

interface Examined {
  encoding: string;
  reading: Reading;
}

/** Takes the text for UTF-8 until the first byte that denies it, unless the encoding is known. */
function examineText(openBytes: OpenBytes, options: StatementOptions): Examined {
  const [head] = openBytes();
  const known =
    options.encoding === undefined
      ? utf16Of(head ?? new Uint8Array())
      : encodingName(options.encoding);
  if (known !== null) return examineAs(known, openBytes, options);
  try {
    return examineAs('utf-8', openBytes, options);
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error;
    return examineInFallback(openBytes, options);
  }
}

function examineInFallback(openBytes: OpenBytes, options: StatementOptions): Examined {
  try {
    return examineAs(FALLBACK_ENCODING, openBytes, options);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The header may be there, but in letters of another encoding.
    const reason = `${error.message} (not valid utf-8, so read as ${FALLBACK_ENCODING})`;
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
