/*
 * Pages of an SQLite file without the bytes that belong to nothing. Source: https://sqlite.org/fileformat2.html,
 * "B-tree Pages", "Cell Payload Overflow Pages" and "The Freelist".
 */

/** A page that is not as the file format says. Nothing was changed. */
export class LayoutError extends Error {}

/** The rest of a value that has not enough space in its page: its first page, and its bytes. */
export interface Overflow {
  readonly first: number;
  readonly bytes: number;
}

/** A page of a b-tree whose unused bytes are zero, and the overflows that begin in it. */
export interface ClearPage {
  readonly page: Buffer;
  readonly overflows: readonly Overflow[];
}

interface Cell {
  readonly size: number;
  readonly overflow: Overflow | null;
}

const leaf = { index: 10, table: 13 };
const interior = { index: 2, table: 5 };
const smallestCell = 4;

/** Whether the first byte of a page is one of a b-tree. It is 0 in overflow pages, below 2^25 pages. */
export function isTreePage(page: Buffer): boolean {
  return [...Object.values(leaf), ...Object.values(interior)].includes(page[0]!);
}

/**
 * Returns a page of a b-tree with its header, its cells and the heads of its free blocks only. Not for the first page
 * of a file. Throws a LayoutError if its parts do not fill it exactly, as an integrity check of SQLite does.
 */
export function clearTreePage(page: Buffer): ClearPage {
  const isLeaf = page[0] === leaf.index || page[0] === leaf.table;
  const count = page.readUInt16BE(3);
  const pointers = isLeaf ? 8 : 12;
  const start = page.readUInt16BE(5) || 65_536;
  const clear = Buffer.alloc(page.length);
  requireLayout(pointers + 2 * count <= start);
  page.copy(clear, 0, 0, pointers + 2 * count);
  const overflows: Overflow[] = [];
  let filled = page[7]!;
  for (let at = pointers; at < pointers + 2 * count; at += 2) {
    const cell = page.readUInt16BE(at);
    requireLayout(cell >= start && cell <= page.length - smallestCell);
    const { size, overflow } = cellAt(page, cell);
    requireLayout(cell + size <= page.length);
    page.copy(clear, cell, cell, cell + size);
    if (overflow !== null) overflows.push(overflow);
    filled += size;
  }
  filled += copyFreeBlocks(page, clear, start);
  requireLayout(filled === page.length - start);
  return { page: clear, overflows };
}

/** Copies the heads of the free blocks. Returns the bytes of the blocks. */
function copyFreeBlocks(page: Buffer, clear: Buffer, start: number): number {
  let bytes = 0;
  let at = page.readUInt16BE(1);
  while (at !== 0) {
    requireLayout(at >= start && at <= page.length - 4);
    page.copy(clear, at, at, at + 4);
    const next = page.readUInt16BE(at);
    bytes += page.readUInt16BE(at + 2);
    requireLayout(next === 0 || next > at);
    at = next;
  }
  return bytes;
}

function cellAt(page: Buffer, at: number): Cell {
  const isTable = page[0] === leaf.table || page[0] === interior.table;
  const content = page[0] === interior.table || page[0] === interior.index ? at + 4 : at;
  if (page[0] === interior.table) return { size: varintAt(page, content).end - at, overflow: null };
  const { value: payload, end } = varintAt(page, content);
  const head = (isTable ? varintAt(page, end).end : end) - at;
  const local = localBytes(payload, page.length, isTable);
  if (local === payload) return { size: Math.max(head + local, smallestCell), overflow: null };
  requireLayout(at + head + local + 4 <= page.length);
  const first = page.readUInt32BE(at + head + local);
  return { size: head + local + 4, overflow: { first, bytes: payload - local } };
}

/** Returns how many bytes of a payload are in the page of its cell. */
function localBytes(payload: number, size: number, isTable: boolean): number {
  const most = isTable ? size - 35 : Math.floor(((size - 12) * 64) / 255) - 23;
  if (payload <= most) return payload;
  const least = Math.floor(((size - 12) * 32) / 255) - 23;
  const surplus = least + ((payload - least) % (size - 4));
  return surplus <= most ? surplus : least;
}

function varintAt(page: Buffer, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let next = at; next < at + 8; next += 1) {
    requireLayout(next < page.length);
    value = value * 128 + (page[next]! & 127);
    if (page[next]! < 128) return { value, end: next + 1 };
  }
  return { value: value * 256 + (page[at + 8] ?? 0), end: at + 9 };
}

/** Throws a LayoutError unless the condition holds. */
export function requireLayout(condition: boolean): asserts condition {
  if (!condition) throw new LayoutError('A page of the database is not as SQLite writes it');
}
