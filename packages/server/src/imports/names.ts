import { createHmac } from 'node:crypto';
import { nameKey } from '@coffer/core/text';
import type { Change } from '../book/change.ts';
import type { Steps } from '../db/engine.ts';
import { select, find } from '../db/rows.ts';
import type { Row } from '../db/table.ts';
import {
  categories,
  manualAccounts,
  tags,
  accountNumbers,
  databaseIdentity,
} from '../db/tables/tables.ts';
import { ownerOf } from '../identity/users/actions.ts';
import { isCurrencyCode } from '../operations/currencies.ts';
import {
  maxAccountNameLength,
  maxCategoryNameLength,
  maxTagNameLength,
} from '../operations/limits.ts';
import { bareNumber } from './account-plan.ts';
import type { ImportAccount, ImportEntry, NumberedAccount } from './entry.ts';
import type { ImportProblems } from './row-writers.ts';

type NumberRow = Row<typeof accountNumbers>;

/** Creates what a file names and the book does not have. */
interface Maker {
  account(name: string, currency: string): Steps<number>;
  category(name: string): Steps<number>;
  tag(name: string): Steps<number>;
  /** Gives a number of a bank to an account; `before` is the row that has the number. */
  number(hash: string, accountId: number, before: NumberRow | undefined): Steps<NumberRow>;
  /** Removes a number whose account is gone. */
  withoutAccount(row: NumberRow): Steps<void>;
}

/** Creates records by a change. */
export function creatingBy(change: Change): Maker {
  return {
    *account(name, currency) {
      const made = yield* change.insert(manualAccounts, {
        name,
        type: 'cash',
        currency,
        balance: 0,
        balance_as_of: change.at,
        created_by_name: yield* ownerOf(change.bookId),
      });
      return made.id;
    },
    *category(name) {
      return (yield* change.insert(categories, { name })).id;
    },
    *tag(name) {
      return (yield* change.insert(tags, { name })).id;
    },
    *number(number_hash, manual_account_id, before) {
      if (before !== undefined)
        return yield* change.update(accountNumbers, before, { manual_account_id });
      return yield* change.insert(accountNumbers, { manual_account_id, number_hash });
    },
    withoutAccount: (row) => change.remove(accountNumbers, row),
  };
}

// eslint-disable-next-line @typescript-eslint/no-empty-function
function* nothing(): Steps<void> {}

/** Creates nothing: what would be created gets negative ids. */
export function onlyNoting(): Maker {
  let last = 0;

  function* next(): Steps<number> {
    last -= 1;
    return last;
  }
  return {
    account: next,
    category: next,
    tag: next,

    *number(number_hash, manual_account_id) {
      return { id: 0, book_id: 0, manual_account_id, number_hash };
    },
    withoutAccount: nothing,
  };
}

/**
 * Finds the accounts, categories and tags that a file names, and creates the missing ones.
 *
 * Letter case, Unicode form and blanks around names are ignored.
 */
export class ImportNames {
  readonly #bookId: number;
  readonly #maker: Maker;
  readonly #primaryCurrency: string;
  readonly #problems: ImportProblems;
  readonly #numbered: ReadonlyMap<string, NumberedAccount>;
  readonly #numbers: AccountNumbers;
  readonly #accounts = new Map<string, ImportAccount>();
  /** By the name as the file has it. */
  readonly #found = new Map<string, ImportAccount>();
  /** Ids by names without blanks and separators, when all accounts of the file are known. */
  #byBareName: ReadonlyMap<string, number> | null = null;
  readonly #categories = new Map<string, { id: number; isGroup: boolean }>();
  /** By the name as the file has it. */
  readonly #foundCategories = new Map<string, number>();
  readonly #tags = new Map<string, number>();
  #loaded = false;
  accountsCreated = 0;
  categoriesCreated = 0;
  tagsCreated = 0;

  /** `numbered` are the accounts with numbers, by their names in the file. */
  constructor(
    bookId: number,
    maker: Maker,
    primaryCurrency: string,
    problems: ImportProblems,
    numbered: ReadonlyMap<string, NumberedAccount> = new Map(),
  ) {
    this.#bookId = bookId;
    this.#maker = maker;
    this.#primaryCurrency = primaryCurrency;
    this.#problems = problems;
    this.#numbered = numbered;
    this.#numbers = new AccountNumbers(bookId, maker);
  }

  /** Returns the account with this name in the file; null without a name, or when the name is not valid. */
  *account(name: string | null, entry: ImportEntry): Steps<ImportAccount | null> {
    if (name === null) return null;
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    if (!this.#loaded) yield* this.#load();
    const numbered = this.#numbered.get(name);
    const account =
      numbered === undefined
        ? yield* this.#named(name, entry)
        : yield* this.#withNumber(name, numbered, entry);
    if (account !== null) this.#found.set(name, account);
    return account;
  }

  /**
   * Returns the id of the account that is the other side of an entry: the one with this number, perhaps after that of
   * its bank and a slash, or with this name. Null for an account of others.
   */
  *ownAccount(other: string): Steps<number | null> {
    const [, bankId = null, number = other] = /^(\w+)\/(\w+)$/.exec(other) ?? [];
    const numbered = yield* this.#numbers.accountOf({ bankId, number, name: null });
    return numbered ?? this.#found.get(other)?.id ?? (yield* this.#idByName(other));
  }

  /** A table may name its accounts by their numbers, with blanks or without. */
  *#idByName(name: string): Steps<number | null> {
    if (!this.#loaded) yield* this.#load();
    this.#byBareName ??= new Map(
      [...this.#accounts].map(([key, { id }]) => [bareNumber(key), id] as const),
    );
    return this.#byBareName.get(bareNumber(nameKey(name))) ?? null;
  }

  /** The name that the user gives wins; else the number; else a name that no account with another number has. */
  *#withNumber(
    name: string,
    numbered: NumberedAccount,
    entry: ImportEntry,
  ): Steps<ImportAccount | null> {
    const id = numbered.name === null ? yield* this.#numbers.accountOf(numbered) : null;
    const found = [...this.#accounts.values()].find((each) => each.id === id);
    if (found !== undefined) return found;
    const free = numbered.name ?? (yield* this.#freeName(name, numbered));
    const { currency = entry.currency } = numbered;
    const account = yield* this.#named(free, { ...entry, currency });
    if (account !== null) yield* this.#numbers.attach(numbered, account.id);
    return account;
  }

  *#freeName(name: string, numbered: NumberedAccount): Steps<string> {
    for (const each of namesFor(name, numbered)) {
      const known = this.#accounts.get(nameKey(each));
      if (known === undefined || !(yield* this.#numbers.isNumbered(known.id))) return each;
    }
    return name;
  }

  *#named(name: string, entry: ImportEntry): Steps<ImportAccount | null> {
    const key = nameKey(name);
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    if (this.#isTooLong(name, maxAccountNameLength, 'account', entry.line)) return null;
    const made = yield* this.#makeAccount(name.trim(), entry);
    this.#accounts.set(key, made);
    return made;
  }

  /** Returns the `tag_ids` of an entry, as JSON. */
  *tagIds({ tags: names = [], line }: ImportEntry): Steps<string> {
    if (names.length === 0) return '[]';
    if (!this.#loaded) yield* this.#load();
    const ids = new Set<number>();
    for (const name of names) {
      const key = nameKey(name);
      if (key === '') continue;
      const id = this.#tags.get(key) ?? (yield* this.#tryMakeTag(name.trim(), line));
      if (id === null) continue;
      this.#tags.set(key, id);
      ids.add(id);
    }
    return JSON.stringify([...ids]);
  }

  /** Returns the id of the category with this name; null without a name, or when the name is not valid. */
  *category(name: string | null, entry: ImportEntry): Steps<number | null> {
    if (name === null) return null;
    const found = this.#foundCategories.get(name);
    if (found !== undefined) return found;
    const known = yield* this.#categoryOf(name, (reason) => {
      this.#problems.add({ line: entry.line, column: 'category', value: name, reason });
    });
    if (known !== null) this.#foundCategories.set(name, known);
    return known;
  }

  /** As {@link category}, for a part of an entry: a name that is not valid is left out. */
  *categoryOfPart(name: string | null): Steps<number | null> {
    return name === null ? null : yield* this.#categoryOf(name, () => undefined);
  }

  *#categoryOf(name: string, refuse: (reason: string) => void): Steps<number | null> {
    if (!this.#loaded) yield* this.#load();
    const key = nameKey(name);
    const known = this.#categories.get(key) ?? (yield* this.#tryMakeCategory(name.trim(), refuse));
    if (known === null) return null;
    this.#categories.set(key, known);
    if (!known.isGroup) return known.id;
    refuse(
      'is a category group; a transaction needs a category (rename the group, or use --map category= to leave categories out)',
    );
    return null;
  }

  /** Of records with the same name the oldest is used: it comes last. */
  *#load(): Steps<void> {
    const book = { book_id: this.#bookId };
    for (const account of (yield* select(manualAccounts, book)).reverse()) {
      const { id, name, display_name, currency } = account;
      const shown = { name: display_name ?? name };
      for (const each of [name, display_name])
        if (each !== null)
          this.#accounts.set(nameKey(each), { ...shown, id, currency, isEarlier: true });
    }
    for (const { id, name, is_group } of (yield* select(categories, book)).reverse())
      this.#categories.set(nameKey(name), { id, isGroup: is_group });
    for (const { id, name } of (yield* select(tags, book)).reverse())
      this.#tags.set(nameKey(name), id);
    this.#loaded = true;
  }

  *#tryMakeTag(name: string, line: number): Steps<number | null> {
    if (this.#isTooLong(name, maxTagNameLength, 'tags', line)) return null;
    this.tagsCreated += 1;
    return yield* this.#maker.tag(name);
  }

  *#makeAccount(name: string, entry: ImportEntry): Steps<ImportAccount> {
    const currency = entry.currency ?? this.#primaryCurrency;
    const known = isCurrencyCode(currency) ? currency : this.#primaryCurrency;
    const id = yield* this.#maker.account(name, known);
    this.accountsCreated += 1;
    return { id, name, currency: known, isEarlier: false };
  }

  *#tryMakeCategory(
    name: string,
    refuse: (reason: string) => void,
  ): Steps<{ id: number; isGroup: boolean } | null> {
    const reason = lengthFault(name, maxCategoryNameLength);
    if (reason !== null) {
      refuse(reason);
      return null;
    }
    const id = yield* this.#maker.category(name);
    this.categoriesCreated += 1;
    return { id, isGroup: false };
  }

  /** Adds a problem if a name is too long. */
  #isTooLong(name: string, most: number, column: string, line: number): boolean {
    const reason = lengthFault(name, most);
    if (reason !== null) this.#problems.add({ line, column, value: name, reason });
    return reason !== null;
  }
}

function lengthFault(name: string, most: number): string | null {
  const { length } = [...name.trim()];
  return length <= most ? null : `is ${length} characters long; ${most} are allowed`;
}

/** How many characters of its number a short name of an account ends with. */
const shownDigits = 4;

/** The length of the part of an IBAN that is the number of the bank, by country. The rest is the account's. */
const bankLengths: Readonly<Record<string, number>> = { AT: 5, CH: 5, DE: 8, LI: 5, NL: 4 };

/**
 * Finds the accounts of the book that have a number of a bank. The numbers are stored as hashes with a key of the
 * database, so an account is found again after the user renamed it.
 */
class AccountNumbers {
  readonly #bookId: number;
  readonly #maker: Maker;
  readonly #byHash = new Map<string, NumberRow>();
  readonly #numbered = new Set<number>();
  #key: string | null = null;

  constructor(bookId: number, maker: Maker) {
    this.#bookId = bookId;
    this.#maker = maker;
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
    for (const hash of yield* this.#hashesOf(account)) {
      const row = yield* this.#maker.number(hash, id, this.#byHash.get(hash));
      this.#byHash.set(hash, row);
    }
    this.#numbered.add(id);
  }

  *#hashesOf(account: NumberedAccount): Steps<string[]> {
    yield* this.#load();
    const key = `${this.#key} ${this.#bookId}`;
    return identitiesOf(account).map((text) =>
      createHmac('sha256', key).update(text).digest('base64url'),
    );
  }

  *#load(): Steps<void> {
    if (this.#key !== null) return;
    const secret = yield* find(databaseIdentity, { name: 'account_numbers' });
    if (secret === undefined) throw new Error('The database has no key for numbers of accounts');
    this.#key = secret.value;
    const book_id = this.#bookId;
    const existing = new Set((yield* select(manualAccounts, { book_id })).map(({ id }) => id));
    for (const row of yield* select(accountNumbers, { book_id })) {
      // The account may have been deleted; its number is then given to another one.
      if (existing.has(row.manual_account_id)) this.#numbered.add(row.manual_account_id);
      if (existing.has(row.manual_account_id)) this.#byHash.set(row.number_hash, row);
      else yield* this.#maker.withoutAccount(row);
    }
  }
}

/** Returns names for a new account, the shortest first: its name in the file, and with more of its number. */
function* namesFor(name: string, { number }: NumberedAccount): Generator<string> {
  yield name;
  const end = bareNumber(number).slice(-shownDigits);
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
  const own = bareNumber(number);
  const parts = ibanParts(own);
  if (parts !== null) return [own, ...parts];
  return [`${withoutZeros(bareNumber(bankId ?? ''))} ${withoutZeros(own)}`];
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
