import { hash } from 'node:crypto';
import { maxExternalIdLength } from '../operations/limits.ts';
import type { BankId, ImportEntry } from './entry.ts';

/** The hexadecimal digits of the hash that distinguishes transactions with the same id of the bank. */
const hashLength = 15;
const keptOfLongId = 42;
/** After the bank's id: the hash of one of the transactions that share it, and its number among equal ones. */
const ending = /(?:~[0-9a-f]{15})?(?:#([2-9]|[1-9]\d+))?$/;

/** Returns the bank's id of an entry: from its statement, or else from its external id without our ending. */
export function bankIdOf(externalId: string, entry: ImportEntry): BankId {
  return entry.bankId ?? readId(externalId);
}

/** Returns the id for the first transaction with the bank's id: `ID`, or `ID#2` for the second equal one. */
export function plainId({ id, nth }: BankId): string {
  return keptId(id + countOf(nth));
}

/**
 * Returns the id of a transaction that shares the bank's id with another: `ID~` and the first 15 hexadecimal digits of
 * the SHA-256 of its date, amount, payee and notes as JSON, and `#2` for the second equal one. At most 75 characters,
 * by {@link keptId}. The id does not depend on the other entries of the file. Books have such ids, so the format must
 * not change.
 */
export function sharedId({ id, nth }: BankId, entry: ImportEntry): string {
  const { date, amount, payee, notes } = entry;
  const content = JSON.stringify([date, amount, payee, notes]);
  const digest = hash('sha256', content, 'hex').slice(0, hashLength);
  return keptId(`${id}~${digest}${countOf(nth)}`);
}

/** Returns two texts between which shared ids are, both exclusive; null when such ids are too long to be parsed. */
export function sharedIdBounds({
  id,
  nth,
}: BankId): readonly [above: string, below: string] | null {
  const length = id.length + 1 + hashLength + countOf(nth).length;
  // "g" comes after every hexadecimal digit.
  return length > maxExternalIdLength ? null : [`${id}~`, `${id}~g`];
}

/** Returns whether a transaction of the book can have the bank's id of the entry. A shared id can have any number. */
export function isOfBankId(externalId: string, bankId: BankId, entry: ImportEntry): boolean {
  if (externalId === plainId(bankId)) return true;
  if (sharedIdBounds(bankId) === null) return externalId === sharedId(bankId, entry);
  const read = readId(externalId);
  return read.isRepeated && read.id === bankId.id;
}

function readId(externalId: string): BankId {
  const [added = '', nth = '1'] = ending.exec(externalId) ?? [];
  const id = externalId.slice(0, externalId.length - added.length);
  return { id, nth: Number(nth), isRepeated: added.startsWith('~') };
}

/** Shortens a long id to 75 characters: its first 42 characters, `~` and 32 digits of its SHA-256. */
function keptId(id: string): string {
  if (id.length <= maxExternalIdLength) return id;
  const digest = hash('sha256', id, 'hex').slice(0, maxExternalIdLength - keptOfLongId - 1);
  // The cut may split a surrogate pair, and engines cannot store a half.
  return `${id.slice(0, keptOfLongId).toWellFormed()}~${digest}`;
}

function countOf(nth: number): string {
  return nth > 1 ? `#${nth}` : '';
}
