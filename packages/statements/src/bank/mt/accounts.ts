import type { StatementAccount } from '../../statement/statement.ts';
import type { MtStatement } from './statements.ts';

/** Maximum characters of an account's name in a book. */
const MAX_NAME_LENGTH = 45;
const SHOWN_DIGITS = 4;

/** The parts of a `:25:`, which identify an account together with its currency. */
interface AccountNumber {
  /** A national bank code or a BIC; null if there is none. */
  readonly bankId: string | null;
  readonly id: string;
}

/**
 * Splits `BANK/NUMBER`, or a number alone, and removes the currency at its end: `0123456789EUR`, `…/HUF`.
 * An IBAN is the number of the account: its bank is not repeated.
 */
function accountNumber({ account, bank, currency }: MtStatement): AccountNumber {
  const code = currency?.toUpperCase() ?? '';
  const hasCurrency =
    code !== '' && /[\d/ -]$/.test(account.slice(0, -3)) && account.endsWith(code);
  const text = hasCurrency ? account.slice(0, -3).replace(/[/ -]$/, '') : account;
  const slash = text.indexOf('/');
  const id = (slash < 0 ? text : text.slice(slash + 1)).replace(/\s/g, '');
  const before = slash < 0 ? '' : text.slice(0, slash).trim();
  return id === '' ? { bankId: bank, id: before } : { bankId: before || bank, id };
}

/** Identifies the account of a statement within the file. */
export function accountKey(statement: MtStatement): string {
  const { bankId, id } = accountNumber(statement);
  return JSON.stringify([bankId, id, statement.currency]);
}

/** The accounts of a file by their keys. Statements without a number have no account. */
export function accountsOf(
  statements: readonly MtStatement[],
  entryCounts: readonly number[],
): ReadonlyMap<string, StatementAccount> {
  const byKey = new Map<
    string,
    StatementAccount & { balances: StatementAccount['balances'][number][] }
  >();
  for (const statement of statements) {
    const key = accountKey(statement);
    const { bankId, id } = accountNumber(statement);
    if (id === '') continue;
    const { currency } = statement;
    const empty = { name: '', id, bankId, type: 'account', currency, entryCount: 0, balances: [] };
    const account = byKey.get(key) ?? empty;
    byKey.set(key, account);
    account.entryCount += entryCounts[statement.index] ?? 0;
    for (const { kind, amount, date } of statement.balances) {
      account.balances.push({ kind, amount, date });
    }
  }
  const names = uniqueNames([...byKey.values()]);
  [...byKey.values()].forEach((account, at) => {
    account.name = names[at]!;
  });
  return byKey;
}

/** Names accounts by as much of their numbers as distinguishes them. */
function uniqueNames(accounts: readonly StatementAccount[]): string[] {
  const levels = [shortName, numberName, bankName, currencyName].map((nameOf) => {
    const names = accounts.map(nameOf);
    const counts = Map.groupBy(names, (name) => name);
    return { names, isUnique: (name: string) => counts.get(name)?.length === 1 };
  });
  return accounts.map((_, at) => {
    const level = levels.find(({ names, isUnique }) => isUnique(names[at]!));
    return (level ?? levels.at(-1)!).names[at]!;
  });
}

function shortName({ id }: StatementAccount): string {
  const digits = id.replace(/[^\p{L}\p{N}]/gu, '').slice(-SHOWN_DIGITS);
  return `Account ${digits}`.trim();
}

function numberName({ id }: StatementAccount): string {
  return `Account ${id}`.slice(-MAX_NAME_LENGTH).trim();
}

function bankName({ id, bankId }: StatementAccount): string {
  return `Account ${bankId ?? ''} ${id}`.replace('  ', ' ').slice(-MAX_NAME_LENGTH).trim();
}

function currencyName(account: StatementAccount): string {
  const currency = account.currency?.toUpperCase() ?? '';
  return `${bankName(account)} ${currency}`.slice(-MAX_NAME_LENGTH).trim();
}
