import { isZip, readZip, ZipError, type RandomBytes, type ZipEntry } from '@coffer/core/zip';
import { Refusal } from './statement/statement-error.ts';
import { MAX_CONTENT_BYTES } from './bytes/content.ts';
import { detectFormat } from './bytes/detect-format.ts';
import { isWorkbook, writeLargestSheet } from './table/xlsx/sheet.ts';
import { UnpackedLimit, zipContent } from './bytes/unpack.ts';

const NESTED = 'The ZIP archive has another archive in it: extract it with unzip';
const MARK = [0xef, 0xbb, 0xbf];
const DECLARATION = '\n<?xml version="1.0"?>';
/** Maximum statements in an archive. */
const MAX_FILES = 1_000;

/** What files of other spreadsheets are called: of OpenDocument, Numbers and the binary form of Excel. */
const SPREADSHEET = /^(?:\[Content_Types\]\.xml|mimetype|Index\/.*\.iwa)$/;
/** Folders, hidden files, what systems add, and what banks pack with a statement. */
const NO_STATEMENT =
  /(?:^|\/)(?:\.[^/]*|Thumbs\.db|desktop\.ini|)$|(?:^|\/)__MACOSX\/|\.(?:pdf|html?|png|jpe?g|gif|xsd|xsl)$/i;

/**
 * Unpacks the statement in a ZIP archive and passes its content to `write`, in pieces of at most 64 KiB. Several CAMT
 * files are one content, in the order of their names. Pictures, PDF files and hidden files are ignored. The content of
 * an .xlsx file is its largest sheet, as a table in HTML.
 *
 * Resolves to null; or to the error that ended the unpacking, which a source should throw after the content written so
 * far. Resolves to `spreadsheet`, and writes nothing, if the archive is one of another kind, such as an .ods file.
 * Errors of the archive: it is damaged, encrypted or in an unusual format, has no statement or several of another
 * format, or its content exceeds `maxBytes` or both 16 MiB and 200 times its length.
 */
export async function unzip(
  archive: RandomBytes,
  write: (piece: Uint8Array) => void,
  maxBytes = MAX_CONTENT_BYTES,
): Promise<Error | 'spreadsheet' | null> {
  try {
    const entries = readZip(archive);
    if (isWorkbook(entries)) {
      await writeLargestSheet(archive, entries, maxBytes, write);
      return null;
    }
    if (entries.some(({ name }) => SPREADSHEET.test(name))) return 'spreadsheet';
    const files = statementsOf(entries);
    const limit = new UnpackedLimit(maxBytes);
    for (const file of files) {
      const add = file === files[0] ? write : nextDocument(write);
      await unpack(archive, file, files.length, limit, add);
    }
    return null;
  } catch (error) {
    if (error instanceof ZipError) return new Refusal(error.message);
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function statementsOf(entries: readonly ZipEntry[]): ZipEntry[] {
  const files = entries
    .filter(({ name, bytes }) => bytes > 0 && !NO_STATEMENT.test(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  if (files.length === 0) throw new Refusal('The ZIP archive has no statement');
  if (files.length > MAX_FILES) throw tooMany(files.length);
  return files;
}

async function unpack(
  archive: RandomBytes,
  entry: ZipEntry,
  fileCount: number,
  limit: UnpackedLimit,
  write: (piece: Uint8Array) => void,
): Promise<void> {
  let isFirst = true;
  for await (const piece of zipContent(archive, entry)) {
    if (isFirst && isZip(piece)) throw new Refusal(NESTED);
    if (isFirst && fileCount > 1 && detectFormat(piece) !== 'camt') throw tooMany(fileCount);
    limit.add(piece.length, archive.length);
    write(piece);
    isFirst = false;
  }
}

/** Writes a document after another one: without a byte order mark, and with a declaration, which separates them. */
function nextDocument(write: (piece: Uint8Array) => void): (piece: Uint8Array) => void {
  let isFirst = true;
  return (piece) => {
    const isMarked = isFirst && MARK.every((byte, at) => piece[at] === byte);
    const text = isMarked ? piece.subarray(MARK.length) : piece;
    if (isFirst && !isDeclared(text)) write(Buffer.from(DECLARATION));
    isFirst = false;
    write(text);
  };
}

function isDeclared(text: Uint8Array): boolean {
  return Buffer.from(text.subarray(0, 64)).toString('latin1').trimStart().startsWith('<?xml');
}

function tooMany(count: number): Refusal {
  const advice = 'extract it, and import its files one by one';
  return new Refusal(
    `The ZIP archive has ${count} files, which is possible only for CAMT: ${advice}`,
  );
}
