import { ZipError, type RandomBytes, type ZipEntry } from '@coffer/core/zip';
import { utf16Of } from '../../bytes/encoding.ts';
import type { UnpackedLimit } from '../../bytes/unpacked-limit.ts';
import { zipContent } from '../../bytes/zip-content.ts';
import { XmlReader, type Attributes } from '../../bank/camt/xml.ts';
import { Refusal } from '../../statement/statement-error.ts';

/** An .xlsx file. */
export interface Workbook {
  readonly archive: RandomBytes;
  readonly entries: readonly ZipEntry[];
  readonly limit: UnpackedLimit;
}

/** Receives the elements of a part, each with the names of the elements around it. */
export interface PartEvents {
  open?(name: string, attributes: Attributes, path: readonly string[]): void;
  close?(name: string, text: string, path: readonly string[]): void;
}

/** The part of a name, which is a path in the archive; undefined if there is none. */
export function partOf({ entries }: Workbook, name: string): ZipEntry | undefined {
  return entries.find((entry) => entry.name.toLowerCase() === name.toLowerCase());
}

/**
 * Reads a part, element by element. Nothing happens if it is missing. `flush` is called after each piece.
 * Errors: Refusal if it is not well-formed or exceeds a limit.
 */
export async function readPart(
  workbook: Workbook,
  entry: ZipEntry | undefined,
  events: PartEvents,
  flush: () => void = () => undefined,
): Promise<void> {
  if (entry === undefined) return;
  const path: string[] = [];
  const reader = new XmlReader({
    open(name, attributes) {
      events.open?.(name, attributes, path);
      path.push(name);
    },
    close(text) {
      const name = path.pop()!;
      events.close?.(name, text, path);
    },
  });
  try {
    for await (const text of textOf(workbook, entry)) {
      reader.write(text);
      flush();
    }
    reader.end();
    flush();
  } catch (error) {
    if (!(error instanceof Refusal) || error instanceof ZipError) throw error;
    throw new Refusal(`The spreadsheet is damaged or too large: ${error.message}`);
  }
}

async function* textOf({ archive, limit }: Workbook, entry: ZipEntry): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  for await (const piece of zipContent(archive, entry)) {
    limit.add(piece.length, archive.length);
    decoder ??= new TextDecoder(utf16Of(piece) ?? 'utf-8');
    yield decoder.decode(piece, { stream: true });
  }
}
