import { copyOf } from '../../statement/texts.ts';
import { Refusal } from '../../statement/statement-error.ts';
import type { StatementAccount } from '../../statement/statement.ts';
import { accountType, type QifRecord, type Section } from './records.ts';

/** Maximum characters of an account's name in a book. */
const MAX_NAME_LENGTH = 45;
/** Maximum number of accounts of a file: each takes memory. */
const MAX_ACCOUNTS = 10_000;

const OPENING =
  /^(?:opening balance|anfangssaldo|er(?:ö|oe)ffnungssaldo|solde initial|saldo inicial|beginsaldo)$/i;

/** The account of an entry. */
export interface OwnAccount {
  /** Null if the file has not named it. */
  readonly name: string | null;
  readonly type: string;
}

/**
 * Follows the accounts of a file: an `!Account` record names the account of the sections behind it. Several such
 * records in one section are a list of all accounts, and name none.
 */
export class AccountCursor {
  #current: OwnAccount | null = null;
  #section: Section | null = null;

  /** Takes an `!Account` record. */
  take({ section, fields }: QifRecord): void {
    const value = (code: string): string =>
      fields.find((field) => field.code === code)?.value.replace(/\s+/g, ' ') ?? '';
    const name = shortened(value('N'));
    const isList = this.#section === section;
    this.#section = section;
    this.#current = isList || name === '' ? null : { name, type: value('T') };
  }

  /** The account of an entry. */
  of({ section }: QifRecord): OwnAccount {
    const { name, type } = this.#current ?? { name: null, type: '' };
    return { name, type: type === '' ? section.type : accountType(type) };
  }
}

/** The accounts of a file with their entries. Entries without an account's name are one account for each type. */
export class AccountList {
  readonly #accounts = new Map<string, { name: string | null; type: string; entryCount: number }>();

  /** Counts an entry. `opened`: the name that its opening balance gives the account, if it is one. */
  add(own: OwnAccount, line: number, opened: string | null): void {
    const key = keyOf(own);
    const account = this.#accounts.get(key) ?? { ...own, entryCount: 0 };
    account.name ??= opened === null ? null : shortened(opened);
    account.entryCount += 1;
    this.#accounts.set(key, account);
    if (this.#accounts.size > MAX_ACCOUNTS) {
      throw new Refusal(`More than ${MAX_ACCOUNTS} accounts`, line);
    }
  }

  /** The name of an entry's account, after all were added; null if the file has one account without a name. */
  nameOf(own: OwnAccount): string | null {
    const name = this.#accounts.get(keyOf(own))?.name ?? null;
    return name === null && this.#accounts.size > 1 ? capitalized(own.type) : name;
  }

  /** Accounts for a statement. */
  get all(): StatementAccount[] {
    const byName = new Map<string, StatementAccount>();
    for (const own of this.#accounts.values()) {
      const name = own.name ?? (this.#accounts.size > 1 ? capitalized(own.type) : null);
      if (name === null) continue;
      const known = byName.get(name) ?? {
        name,
        id: name,
        bankId: null,
        type: own.type,
        currency: null,
        entryCount: 0,
        balances: [],
      };
      byName.set(name, { ...known, entryCount: known.entryCount + own.entryCount });
    }
    return [...byName.values()];
  }
}

function keyOf({ name, type }: OwnAccount): string {
  return name === null ? `type ${type}` : `name ${name}`;
}

function shortened(name: string): string {
  return copyOf(name.slice(0, MAX_NAME_LENGTH).trim());
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Whether an entry is the balance with which its account was opened: a transfer from the account to itself. */
export function isOpeningBalance(values: ReadonlyMap<string, string>): boolean {
  return OPENING.test(values.get('P') ?? '') && values.get('L')?.startsWith('[') === true;
}
