/*
 * Divides many items into several requests.
 */
import { IncompleteError } from '../../sending/errors.ts';

/** Maximum number of items in a request to the service. */
const maxItems = 500;
/** The service accepts bodies of 1 MiB; the rest is for the other properties and the punctuation. */
const maxBytes = 1_000_000;

/** The items of one request. */
export interface Part<T> {
  /** The position of its first item among all. */
  readonly start: number;
  readonly items: readonly T[];
}

/**
 * Divides items into parts of at most 500 and, as JSON, about a megabyte. A single item that is larger is a part. No
 * items: no parts.
 */
export function divide<T>(items: readonly T[]): Part<T>[] {
  const parts: { start: number; items: T[] }[] = [];
  let bytes = 0;
  items.forEach((item, start) => {
    const size = sizeOf(item);
    const part = parts.at(-1);
    if (part === undefined || part.items.length === maxItems || bytes + size > maxBytes) {
      parts.push({ start, items: [item] });
      bytes = size;
    } else {
      part.items.push(item);
      bytes += size;
    }
  });
  return parts;
}

/** The size as JSON with a comma, in bytes. */
function sizeOf(item: unknown): number {
  return new TextEncoder().encode(JSON.stringify(item)).length + 1;
}

/**
 * Sends a request for each part, one after the other, and resolves to their results.
 *
 * Rejects with the error of the first request, or with {@link IncompleteError} when a later one fails.
 */
export async function sendParts<T, R>(
  items: readonly T[],
  send: (part: Part<T>) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (const part of divide(items)) {
    try {
      results.push(await send(part));
    } catch (error) {
      if (part.start === 0) throw error;
      throw new IncompleteError(part.start, error);
    }
  }
  return results;
}
