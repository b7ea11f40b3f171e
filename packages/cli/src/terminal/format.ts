import { printable } from '@coffer/core/text';

/** Returns a printable text in quotes. */
export function quote(text: string): string {
  return `"${printable(text)}"`;
}

/** Returns a number with its noun: `1 transaction`, `12,000 transactions`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`;
}

const mostListed = 10;

/** Lists at most ten texts and counts the others: `"a", "b"`, or `"a", …, "j" and 12 more`. */
export function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, mostListed).join(', ');
  return texts.length > mostListed ? `${shown} and ${texts.length - mostListed} more` : shown;
}

/** Returns a size for people, such as `11.3 MB`. */
export function inUnits(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
}

/** Returns a duration for people, such as `27 ms` or `1.4 s`. */
export function inSeconds(elapsedMs: number): string {
  if (elapsedMs < 1000) return `${elapsedMs} ms`;
  return `${(elapsedMs / 1000).toLocaleString('en', { maximumFractionDigits: 1 })} s`;
}

/** Describes a database file, for `coffer backup` and `coffer restore`. `files` is about its attached files. */
export function contentsOf(
  name: string,
  file: { readonly transactions: number; readonly schemaVersion: number; readonly bytes: number },
  files: string,
  elapsedMs: number,
): string {
  const holds = `${count(file.transactions, 'transaction')} at schema version ${file.schemaVersion}`;
  return `${quote(name)} holds ${holds}: ${inUnits(file.bytes)}${files}, checked, in ${inSeconds(elapsedMs)}`;
}

/** Starts a stopwatch. Returns a function that returns the milliseconds since then. */
export function stopwatch(): () => number {
  const startedAtMs = performance.now();
  return () => Math.round(performance.now() - startedAtMs);
}

/** Continues a sentence: how many attached files there are at a place, and of how many. */
export function filesText(
  { total, faults }: { readonly total: number; readonly faults: { readonly size: number } },
  place: string,
): string {
  if (total === 0) return '';
  const intact = faults.size === 0 ? '' : `${total - faults.size} of its `;
  return `, with ${intact}${count(total, 'attached file')} in ${place}`;
}
