import { hash } from 'node:crypto';

/** The most characters of an id that a book keeps. OFX allows 255. */
const LONGEST_ID = 75;
const KEPT_OF_LONG_ID = 42;

/** Nothing but zeros, or a number below 10,000: banks count each file's entries by such numbers, from 1 again. */
const COUNTER = /^0*\d{0,4}$/;

/** The bank's own id of an entry, or null for a FITID that names none. */
export function bankId(fitid: string): string | null {
  return COUNTER.test(fitid) ? null : copyOf(fitid);
}

/** An id of a length that a book keeps: a longer one ends in a part of its SHA-256. */
export function keptId(id: string): string {
  if (id.length <= LONGEST_ID) return id;
  const digest = hash('sha256', id, 'hex').slice(0, LONGEST_ID - KEPT_OF_LONG_ID - 1);
  return `${id.slice(0, KEPT_OF_LONG_ID)}~${digest}`;
}

/** A text of its own: a part of another text would keep all of that in memory as long as the id is kept. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
