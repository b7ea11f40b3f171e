import { createHmac } from 'node:crypto';
import { nameKey } from '@coffer/core/text';
import type { Change } from '../book/change.ts';
import type { Steps } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import type { Row } from '../db/table.ts';
import { accountNumbers, databaseIdentity, manualAccounts } from '../db/tables/tables.ts';
import { maxAccountNameLength } from '../operations/limits.ts';
import type { NumberedAccount } from './entry.ts';

/** How many characters of its number a short name of an account ends with. */
const shownDigits = 4;

/** The length of the part of an IBAN that is the number of the bank, by country. The rest is the account's. */
const bankLengths: Readonly<Record<string, number>> = { AT: 5, CH: 5, DE: 8, LI: 5, NL: 4 };

/**
 * Finds the accounts of the book that have a number of a bank. The numbers are stored as hashes with a key of the
 * database, so an account is found again after the user renamed it.
 */
export class AccountNumbers {
  readonly #change: Change;
  readonly #byHash = new Map<string, Row<typeof accountNumbers>>();
  readonly #numbered = new Set<number>();
  #key: string | null = null;

  constructor(change: Change) {
    this.#change = change;
  }

  /** Returns the id of the account with this number. */
  *accountOf(account: NumberedAccount): Steps<number | null> {
    for (const hash of yield* this.#hashesOf(account)) {
      const found = this.#byHash.get(hash);
      if (found !== undefined) return found.manual_account_id;
    }
    return null;
  }

  /** Whether an account has numbers. It is then not the account of another number with the same name. */
  *isNumbered(id: number): Steps<boolean> {
    yield* this.#load();
    return this.#numbered.has(id);
  }

  /** Gives an account the number, and takes it from the account that had it. */
  *attach(account: NumberedAccount, id: number): Steps<void> {
    for (const number_hash of yield* this.#hashesOf(account)) {
      const known = this.#byHash.get(number_hash);
      const row =
        known === undefined
          ? yield* this.#change.insert(accountNumbers, { manual_account_id: id, number_hash })
          : yield* this.#change.update(accountNumbers, known, { manual_account_id: id });
      this.#byHash.set(number_hash, row);
    }
    this.#numbered.add(id);
  }

  *#hashesOf(account: NumberedAccount): Steps<string[]> {
    yield* this.#load();
    const key = `${this.#key} ${this.#change.bookId}`;
    return identitiesOf(account).map((text) =>
      createHmac('sha256', key).update(text).digest('base64url'),
    );
  }

  *#load(): Steps<void> {
    if (this.#key !== null) return;
    const secret = yield* find(databaseIdentity, { name: 'account_numbers' });
    if (secret === undefined) throw new Error('The database has no key for numbers of accounts');
    this.#key = secret.value;
    const book_id = this.#change.bookId;
    const existing = new Set((yield* select(manualAccounts, { book_id })).map(({ id }) => id));
    for (const row of yield* select(accountNumbers, { book_id })) {
      // The account may have been deleted; its number is then given to another one.
      if (existing.has(row.manual_account_id)) this.#numbered.add(row.manual_account_id);
      if (existing.has(row.manual_account_id)) this.#byHash.set(row.number_hash, row);
      else yield* this.#change.remove(accountNumbers, row);
    }
  }
}

/** Returns names for a new account, the shortest first: its name in the file, and with more of its number. */
export function* namesFor(name: string, { number }: NumberedAccount): Generator<string> {
  yield name;
  const end = bare(number).slice(-shownDigits);
  const isShort = end !== '' && nameKey(name).endsWith(end);
  const base = isShort ? name.slice(0, -end.length) : `${name} `;
  const whole = `${base}${number}`.slice(-maxAccountNameLength).trim();
  yield whole;
  for (let count = 2; ; count += 1)
    yield `${whole.slice(0, maxAccountNameLength - String(count).length - 1)} ${count}`;
}

/**
 * Returns what identifies an account: an IBAN, which is unique in the world, or the numbers of bank and account. The
 * IBAN of some countries contains both numbers, so that a format with the IBAN and one without it agree.
 */
function identitiesOf({ bankId, number }: NumberedAccount): string[] {
  const own = bare(number);
  const parts = ibanParts(own);
  if (parts !== null) return [own, ...parts];
  return [`${withoutZeros(bare(bankId ?? ''))} ${withoutZeros(own)}`];
}

/** Returns the identities that the parts of an IBAN have; null for a number that is no IBAN. */
function ibanParts(number: string): string[] | null {
  const [, country] = /^([a-z]{2})\d{2}[a-z0-9]{11,30}$/.exec(number) ?? [];
  if (country === undefined) return null;
  const bank = bankLengths[country.toUpperCase()];
  if (bank === undefined) return [];
  const [ofBank, ofAccount] = [number.slice(4, 4 + bank), number.slice(4 + bank)];
  return [`${withoutZeros(ofBank)} ${withoutZeros(ofAccount)}`];
}

function withoutZeros(number: string): string {
  return number.replace(/^0+/, '');
}

/** Returns a number without separators, in lower case. */
function bare(number: string): string {
  return number.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}
