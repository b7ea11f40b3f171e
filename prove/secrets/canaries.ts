import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Canary {
  readonly name: string;
  readonly text: string;
  /** Parts that must not appear either; none by default. */
  readonly pieces?: readonly string[];
  readonly bytes?: Uint8Array;
}

/** A shorter piece of base 64 could appear by chance. */
const leastEncoded = 12;

/** Returns the names of the canaries in the bytes, plain or in one of the usual encodings. */
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

/** Returns the middle of the text in base 64, which does not depend on its context, for each alignment. */
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

export function filesBelow(folder: string): { readonly path: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, bytes: readFileSync(path) }));
}
