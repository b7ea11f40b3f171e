import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A text that must not turn up where it does not belong. */
export interface Canary {
  /** What it is, for a person. */
  readonly name: string;
  readonly text: string;
  /** What of it alone would give it away; none unless given. */
  readonly pieces?: readonly string[];
  /** The same not as a text; not looked for unless given. */
  readonly bytes?: Uint8Array;
}

/** How short a piece of base 64 may be and still be no accident. */
const leastEncoded = 12;

/** Says which canaries are in the bytes, plain or written in one of the usual ways. */
export function canariesIn(bytes: Buffer, canaries: readonly Canary[]): string[] {
  return canaries
    .filter((canary) => formsOf(canary).some((form) => bytes.includes(form)))
    .map(({ name }) => name);
}

function formsOf({ text, pieces = [], bytes }: Canary): Buffer[] {
  const utf8 = Buffer.from(text);
  return [
    utf8,
    Buffer.from(text, 'utf16le'),
    Buffer.from(utf8.toString('hex')),
    Buffer.from(utf8.toString('hex').toUpperCase()),
    Buffer.from(encodeURIComponent(text)),
    ...base64Of(utf8),
    ...pieces.map((piece) => Buffer.from(piece)),
    ...(bytes === undefined ? [] : [Buffer.from(bytes)]),
  ];
}

/** The middle of the text in base 64, which is the same whatever stands around it, for each of the three alignments. */
function base64Of(utf8: Buffer): Buffer[] {
  return [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), utf8]).toString('base64');
    const middle = shifted.slice(4, -4);
    if (middle.length < leastEncoded) return [];
    return [middle, middle.replaceAll('+', '-').replaceAll('/', '_')].map((form) =>
      Buffer.from(form),
    );
  });
}

/** Every file below a folder, with its bytes. */
export function filesBelow(folder: string): { readonly path: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, bytes: readFileSync(path) }));
}
