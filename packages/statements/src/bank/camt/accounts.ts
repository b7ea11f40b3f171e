import type { Decimal, StatementAccount } from '../../statement/statement.ts';
import { named } from '../ofx/accounts.ts';
import { balancesOf } from './balances.ts';
import type { RawStatement } from './outline.ts';
import { accountCurrency, accountKey, bankOf, numberOf, readCamtDate, valueOf } from './values.ts';

const MAX_OWN_NAME_LENGTH = 28;
const MAX_BANK_LENGTH = 20;

/** Codes of ISO 20022 for kinds of accounts. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['CACC', 'checking'],
  ['TRAN', 'checking'],
  ['SVGS', 'savings'],
  ['LLSV', 'savings'],
  ['ONDP', 'savings'],
  ['MOMA', 'money market'],
  ['CARD', 'credit card'],
  ['LOAN', 'loan'],
  ['CASH', 'cash'],
]);

/**
 * The accounts of a file, by their key: named by the bank, or as the bank names them, and the end of the number, or
 * the whole number if two accounts would have the same name.
 */
export function nameAccounts(
  statements: readonly RawStatement[],
  entryCounts: ReadonlyMap<string | number, number>,
  decimal: Decimal | undefined,
): ReadonlyMap<string, StatementAccount> {
  const byKey = new Map<string, StatementAccount>();
  const counts = new Map<string, number>();
  const fieldsByKey = firstFields(statements);
  const keys = sharedKeys(fieldsByKey);
  for (const [own, key] of keys)
    counts.set(key, (counts.get(key) ?? 0) + (entryCounts.get(own) ?? 0));
  for (const { fields, balances } of statements) {
    const key = keys.get(accountKey(fields))!;
    const known = byKey.get(key) ?? newAccount(fieldsByKey.get(key)!);
    const own = balancesOf(balances, decimal);
    byKey.set(key, {
      ...known,
      currency: known.currency ?? own[0]?.currency ?? null,
      entryCount: counts.get(key) ?? 0,
      balances: [
        ...known.balances,
        ...own.map(({ kind, amount, date }) => ({
          kind,
          amount,
          date: date ?? (kind === 'opening' ? null : lastDay(fields)),
        })),
      ],
    });
  }
  const all = [...byKey.values()];
  const distinct = all.map((account) => distinguished(account, all));
  const accounts = new Map(
    [...byKey.keys()].map((key, at) => [key, named(distinct[at]!, distinct)]),
  );
  return new Map([...keys].map(([own, key]) => [own, accounts.get(key)!]));
}

/** The last day of the period of a statement; null if it does not say it. */
function lastDay(fields: RawStatement['fields']): string | null {
  return readCamtDate(valueOf(fields, 'FrToDt/ToDtTm') || valueOf(fields, 'FrToDt/ToDt'));
}

/** The fields of the first statement of each account. */
function firstFields(statements: readonly RawStatement[]): Map<string, RawStatement['fields']> {
  const byKey = new Map<string, RawStatement['fields']>();
  for (const { fields } of statements) {
    const key = accountKey(fields);
    if (!byKey.has(key)) byKey.set(key, fields);
  }
  return byKey;
}

/**
 * The keys of accounts that are one: an account without a currency is that with one, if the file has a single such
 * account with its number. CAMT.054 often omits the currency.
 */
function sharedKeys(fieldsByKey: ReadonlyMap<string, RawStatement['fields']>): Map<string, string> {
  const withCurrency = Map.groupBy(
    [...fieldsByKey].filter(([, fields]) => accountCurrency(fields) !== null),
    ([, fields]) => numberOf(fields),
  );
  return new Map(
    [...fieldsByKey].map(([key, fields]) => {
      const same =
        accountCurrency(fields) === null ? withCurrency.get(numberOf(fields)) : undefined;
      const [only] = same?.length === 1 && fields.has('Acct/Id/IBAN') ? same : [];
      return [key, only?.[0] ?? key];
    }),
  );
}

/** Appends the currency to the name if the number has accounts in several, else the bank if several have the number. */
function distinguished(
  account: StatementAccount,
  all: readonly StatementAccount[],
): StatementAccount {
  const others = all.filter((other) => other !== account && other.id === account.id);
  if (others.length === 0) return account;
  const isOneCurrency = others.some(({ currency }) => currency === account.currency);
  const mark = isOneCurrency ? account.bankId : account.currency?.toUpperCase();
  return { ...account, name: `${account.name} ${mark ?? ''}`.trim() };
}

function newAccount(fields: RawStatement['fields']): StatementAccount {
  const type = TYPES.get(valueOf(fields, 'Acct/Tp/Cd').toUpperCase()) ?? 'account';
  const own = shortened(valueOf(fields, 'Acct/Nm'), MAX_OWN_NAME_LENGTH);
  const bank = shortened(valueOf(fields, 'Acct/Svcr/FinInstnId/Nm'), MAX_BANK_LENGTH);
  return {
    name: own || `${bank} ${type}`.trim(),
    id: numberOf(fields),
    bankId: bankOf(fields),
    type,
    currency: accountCurrency(fields),
    entryCount: 0,
    balances: [],
  };
}

function shortened(text: string, maxLength: number): string {
  return text.replace(/\s+/g, ' ').slice(0, maxLength).trim();
}
