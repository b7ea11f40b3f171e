import { csvRows } from './csv-rows.ts';
import type { BookExport } from './export.ts';
import { ndjsonLines } from './ndjson-lines.ts';

/** The formats of an export: their media types, and their texts in pieces. */
export const exportFormats = {
  csv: { type: 'text/csv; charset=utf-8', textsOf: csvRows },
  ndjson: { type: 'application/x-ndjson', textsOf: ndjsonLines },
} as const;

/** The name of a format of text, which is also the extension of its files. */
export type ExportFormat = keyof typeof exportFormats;

/** The media type and the extension of archives. */
export const archiveFile = { type: 'application/gzip', extension: 'tar.gz' } as const;

const chunkCharacters = 65_536;
/** At most 200 bytes, because names of files have at most 255. */
const nameCharacters = 50;

/** Yields texts as bytes in UTF-8. A book can have a million rows, so short texts are joined. */
export async function* inChunks(
  texts: AsyncIterable<string>,
): AsyncGenerator<Buffer, void, undefined> {
  let chunk = '';
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < chunkCharacters) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

/**
 * Returns a name for the file of an export, such as `coffer-My-book-2026-11-23.csv`. The name of the book has only its
 * letters, digits, dots and underscores, so that no system takes it for a path or a command; every run of other
 * characters is a hyphen.
 */
export function exportName(
  { book, startedAt }: Pick<BookExport, 'book' | 'startedAt'>,
  extension: string,
): string {
  const plain = book.name.normalize('NFC').replaceAll(/[^\p{L}\p{M}\p{N}._]+/gu, '-');
  const kept = [...plain].slice(0, nameCharacters);
  const isInside = (character: string): boolean => character !== '-' && character !== '.';
  const name = kept.slice(kept.findIndex(isInside), kept.findLastIndex(isInside) + 1).join('');
  return `coffer-${name || 'book'}-${startedAt.slice(0, 10)}.${extension}`;
}
