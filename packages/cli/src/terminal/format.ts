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

/** Describes a database file, for `coffer backup` and `coffer restore`. */
export function contentsOf(
  name: string,
  file: { readonly transactions: number; readonly schemaVersion: number; readonly bytes: number },
  elapsedMs: number,
): string {
  const holds = `${count(file.transactions, 'transaction')} at schema version ${file.schemaVersion}`;
  return `${quote(name)} holds ${holds}: ${inUnits(file.bytes)}, checked, in ${inSeconds(elapsedMs)}`;
}

/** Starts a stopwatch. Returns a function that returns the milliseconds since then. */
export function stopwatch(): () => number {
  const startedAtMs = performance.now();
  return () => Math.round(performance.now() - startedAtMs);
}
