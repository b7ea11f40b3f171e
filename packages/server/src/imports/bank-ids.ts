import { hash } from 'node:crypto';
import { maxExternalIdLength } from '../wire/limits.ts';
import type { BankId, ImportEntry } from './entry.ts';

/** How many hexadecimal digits of a hash tell two transactions with one id of the bank apart. */
const hashLength = 15;
const keptOfLongId = 42;
/** Behind the bank's id: the hash of one of the transactions that share it, and which of several equal ones it is. */
const ending = /(?:~[0-9a-f]{15})?(?:#([2-9]|[1-9]\d+))?$/;

/** What the bank says an entry is: its statement knows, or else its external id tells, without what was put behind. */
export function bankIdOf(externalId: string, entry: ImportEntry): BankId {
  return entry.bankId ?? readId(externalId);
}

/** The id under which the first transaction with the bank's id is kept: `ID`, or `ID#2` for the second equal one. */
export function plainId({ id, nth }: BankId): string {
  return keptId(id + countOf(nth));
}

/**
 * The id of a transaction that has to share the bank's id with another: `ID~` and the first 15 hexadecimal digits of
 * the SHA-256 of its date, amount, payee and notes as JSON; `#2` behind it for the second equal one. At most 75
 * characters, by {@link keptId}. It comes out the same as in a file that has both. Books hold such ids: the format
 * stays as it is.
 */
export function sharedId({ id, nth }: BankId, entry: ImportEntry): string {
  const { date, amount, payee, notes } = entry;
  const content = JSON.stringify([date, amount, payee, notes]);
  const digest = hash('sha256', content, 'hex').slice(0, hashLength);
  return keptId(`${id}~${digest}${countOf(nth)}`);
}

/** Between which two texts, both exclusive, shared ids lie that can be read; null where they are too long for that. */
export function sharedIdBounds({
  id,
  nth,
}: BankId): readonly [above: string, below: string] | null {
  const length = id.length + 1 + hashLength + countOf(nth).length;
  // "g" comes behind every hexadecimal digit.
  return length > maxExternalIdLength ? null : [`${id}~`, `${id}~g`];
}

/** Whether a transaction of the book may have the entry's id of the bank, and be the same of several equal ones. */
export function isOfBankId(externalId: string, bankId: BankId, entry: ImportEntry): boolean {
  if (externalId === plainId(bankId)) return true;
  if (sharedIdBounds(bankId) === null) return externalId === sharedId(bankId, entry);
  const read = readId(externalId);
  return read.isRepeated && read.id === bankId.id && read.nth === bankId.nth;
}

function readId(externalId: string): BankId {
  const [added = '', nth = '1'] = ending.exec(externalId) ?? [];
  const id = externalId.slice(0, externalId.length - added.length);
  return { id, nth: Number(nth), isRepeated: added.startsWith('~') };
}

/** An id of a length that a book keeps: of a longer one 42 characters, `~` and 32 digits of its SHA-256. */
function keptId(id: string): string {
  if (id.length <= maxExternalIdLength) return id;
  const digest = hash('sha256', id, 'hex').slice(0, maxExternalIdLength - keptOfLongId - 1);
  // The cut may go through a character, of which no engine keeps a half.
  return `${id.slice(0, keptOfLongId).toWellFormed()}~${digest}`;
}

function countOf(nth: number): string {
  return nth > 1 ? `#${nth}` : '';
}
