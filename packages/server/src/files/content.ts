import { hash } from 'node:crypto';
import { FileStoreError, isKey, type FileStore } from './store.ts';

/** What the bytes of a file must be. */
export interface FileContent {
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** A file that should be in a store. */
export interface ExpectedFile {
  readonly key: string;
  /** The size of its record, rounded up. */
  readonly kilobytes: number;
  /** Null while it is not known. */
  readonly content: FileContent | null;
}

/** Returns what the bytes of a file must be from now on. */
export function contentOf(bytes: Uint8Array): FileContent {
  return { bytes: bytes.length, sha256: hash('sha256', bytes) };
}

/** Returns the size of a file in kilobytes, rounded up. */
export function kilobytes(bytes: number): number {
  return Math.ceil(bytes / 1024);
}

/** Continues a sentence about a file whose store has this many bytes of it, or none: what is wrong; null if nothing. */
export function sizeFault(
  { kilobytes: kb, content }: ExpectedFile,
  found: number | null,
): string | null {
  if (found === null) return 'is missing';
  if (content !== null && found !== content.bytes)
    return `has ${found} bytes instead of ${content.bytes}`;
  return content === null && kilobytes(found) !== kb
    ? `has ${found} bytes instead of about ${kb} kB`
    : null;
}

/** The same as {@link sizeFault} for the bytes themselves. */
function faultIn(expected: ExpectedFile, found: Uint8Array | null): string | null {
  const fault = sizeFault(expected, found === null ? null : found.length);
  if (fault !== null || found === null || expected.content === null) return fault;
  return contentOf(found).sha256 === expected.content.sha256
    ? null
    : 'has other bytes than were stored';
}

/** Reads a file, and returns it if it is right, or else what is wrong with it. Rejects like {@link FileStore}. */
export async function readChecked(
  store: FileStore,
  expected: ExpectedFile,
): Promise<Uint8Array | string> {
  const bytes = isKey(expected.key) ? await store.read(expected.key) : null;
  return faultIn(expected, bytes) ?? bytes ?? 'is missing';
}

/** What {@link copyFiles} did. */
export interface CopiedFiles {
  /** How many files there should be. */
  readonly total: number;
  /** How many were written; the others were there already. */
  readonly written: number;
  /** What is wrong with those that could not be copied, by key. */
  readonly faults: ReadonlyMap<string, string>;
}

/** Options of {@link copyFiles}. */
export interface CopyOptions {
  readonly signal?: AbortSignal;
  /** Makes a file of the target from one that is elsewhere already. Its bytes are checked. */
  readonly link?: (key: string) => Promise<void>;
}

/**
 * Copies files from one store to another, and checks the bytes of all of them, also of those that the target has.
 *
 * A wrong file of the target is replaced. A file that is missing or wrong at both places, or that cannot be read, is a
 * fault, and the others are copied. Rejects with a {@link FileStoreError} if the target fails.
 */
export async function copyFiles(
  files: Iterable<ExpectedFile>,
  from: FileStore,
  to: FileStore,
  { signal, link }: CopyOptions = {},
): Promise<CopiedFiles> {
  const faults = new Map<string, string>();
  let [total, written] = [0, 0];
  const isThere = async (file: ExpectedFile) =>
    typeof (await readChecked(to, file).catch(String)) !== 'string';
  for (const file of files) {
    signal?.throwIfAborted();
    total += 1;
    if (await isThere(file)) continue;
    written += 1;
    // Without a checksum it could be any file.
    if (link !== undefined && file.content !== null && isKey(file.key)) {
      await link(file.key);
      if (await isThere(file)) continue;
    }
    const found = await readChecked(from, file).catch((error: unknown) => {
      if (error instanceof FileStoreError) return `cannot be read: ${error.message}`;
      throw error;
    });
    if (typeof found !== 'string') await to.write(file.key, found);
    else faults.set(file.key, found);
  }
  return { total, written: written - faults.size, faults };
}

/**
 * Returns the Content-Disposition of a file that a browser saves and does not show, with its name in ASCII and in full.
 *
 * Source: RFC 6266, 4.1 and appendix D; RFC 8187.
 */
export function contentDisposition(name: string): string {
  const plain = name.replaceAll(/[^ -~]|["\\%]/g, '_');
  const whole = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}
