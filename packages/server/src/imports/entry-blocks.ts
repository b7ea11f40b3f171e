import { closeSync, readSync, writeSync } from 'node:fs';
import { blockSize } from '../db/blocks.ts';
import type { ImportEntry } from './entry.ts';
import { openTemporary } from './statement-file.ts';

/** Entries of a longer file go to a temporary file. */
const mostInMemory = 20_000;

/** A part of the temporary file. */
interface Stretch {
  readonly start: number;
  readonly length: number;
}

/** The entries of a file, each kept once: in memory, or in a temporary file that nobody else can read. */
export class EntryBlocks {
  readonly #blocks: (readonly ImportEntry[] | Stretch)[] = [];
  #last: ImportEntry[] = [];
  #file: number | null = null;
  #end = 0;

  get count(): number {
    return this.#blocks.length * blockSize + this.#last.length;
  }

  add(entry: ImportEntry): void {
    this.#last.push(entry);
    if (this.#last.length < blockSize) return;
    this.#blocks.push(this.count > mostInMemory ? this.#spool(this.#last) : this.#last);
    this.#last = [];
  }

  /** Returns the entries of a block, which has {@link blockSize} unless it is the last one; none after that. */
  entries(place: number): readonly ImportEntry[] {
    const block = this.#at(place);
    return 'start' in block ? (JSON.parse(this.#textOf(block)) as ImportEntry[]) : block;
  }

  /** Returns the entries of a block as JSON. */
  json(place: number): string {
    const block = this.#at(place);
    return 'start' in block ? this.#textOf(block) : JSON.stringify(block);
  }

  /** Returns all entries. */
  *[Symbol.iterator](): Generator<ImportEntry> {
    for (let place = 0; place <= this.#blocks.length; place += 1) yield* this.entries(place);
  }

  /** Deletes the temporary file. */
  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #at(place: number): readonly ImportEntry[] | Stretch {
    return this.#blocks[place] ?? (place === this.#blocks.length ? this.#last : []);
  }

  #spool(entries: readonly ImportEntry[]): Stretch {
    this.#file ??= openTemporary();
    const bytes = Buffer.from(JSON.stringify(entries));
    const stretch = { start: this.#end, length: bytes.length };
    for (let from = 0; from < bytes.length;)
      from += writeSync(this.#file, bytes, from, bytes.length - from, this.#end + from);
    this.#end += bytes.length;
    return stretch;
  }

  #textOf({ start, length }: Stretch): string {
    const bytes = Buffer.allocUnsafe(length);
    for (let from = 0; from < length;) {
      const read = readSync(this.#file!, bytes, from, length - from, start + from);
      if (read === 0) throw new Error('The temporary file of an import is cut off');
      from += read;
    }
    return bytes.toString();
  }
}
