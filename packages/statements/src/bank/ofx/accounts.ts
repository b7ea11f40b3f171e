import type { Decimal, Balance, StatementAccount } from '../../statement/statement.ts';
import { readAmount, readOfxDate } from './entry.ts';
import type { Fields, RawAccount } from './outline.ts';

/** Maximum characters of an account's name in a book. */
const MAX_NAME_LENGTH = 45;
const MAX_ORG_LENGTH = 20;
const SHOWN_DIGITS = 4;

const TYPES: ReadonlyMap<string, string> = new Map([
  ['CHECKING', 'checking'],
  ['SAVINGS', 'savings'],
  ['MONEYMRKT', 'money market'],
  ['CREDITLINE', 'credit line'],
  ['CD', 'certificate of deposit'],
]);
const KINDS: ReadonlyMap<string, string> = new Map([
  ['CCSTMTRS', 'credit card'],
  ['INVSTMTRS', 'investment'],
  ['LOANSTMTRS', 'loan'],
]);

/** Identifies an account within a file. */
export function accountKey({ kind, fields }: RawAccount): string {
  return JSON.stringify([
    kind,
    bankOf(fields),
    valueOf(fields, 'ACCTID'),
    valueOf(fields, 'ACCTTYPE'),
  ]);
}

/**
 * The accounts of a file by the index of each statement: named by the bank's name if it is given, the kind of account,
 * and the last four characters of the number, or the whole number if two accounts would have the same name.
 */
export function nameAccounts(
  statements: readonly RawAccount[],
  entryCounts: ReadonlyMap<string | number, number>,
  decimal: Decimal | undefined,
): ReadonlyMap<string | number, StatementAccount> {
  const byKey = new Map<string, StatementAccount>();
  for (const statement of statements) {
    const known = byKey.get(accountKey(statement)) ?? newAccount(statement);
    byKey.set(accountKey(statement), {
      ...known,
      entryCount: known.entryCount + (entryCounts.get(statement.index) ?? 0),
      balances: [...known.balances, ...balancesOf(statement, decimal)],
    });
  }
  const all = [...byKey.values()];
  const accounts = new Map([...byKey].map(([key, account]) => [key, named(account, all)]));
  return new Map(
    statements.map((statement) => [statement.index, accounts.get(accountKey(statement))!]),
  );
}

function newAccount(statement: RawAccount): StatementAccount {
  const { fields, kind, org } = statement;
  const id = valueOf(fields, 'ACCTID');
  const ownType = valueOf(fields, 'ACCTTYPE');
  const type = KINDS.get(kind) ?? TYPES.get(ownType.toUpperCase()) ?? 'account';
  const shownOrg = org.replace(/\s+/g, ' ').slice(0, MAX_ORG_LENGTH).trim();
  return {
    name: [shownOrg, type].filter((part) => part !== '').join(' '),
    id,
    bankId: bankOf(fields),
    type,
    currency: valueOf(fields, 'CURDEF').toLowerCase() || null,
    entryCount: 0,
    balances: [],
  };
}

/** Appends the number, or its end, to the name. */
export function named(
  account: StatementAccount,
  all: readonly StatementAccount[],
): StatementAccount {
  const short = shortName(account);
  const isShared = all.some((other) => other !== account && shortName(other) === short);
  const name = isShared ? `${account.name} ${account.id}`.slice(-MAX_NAME_LENGTH).trim() : short;
  return { ...account, name };
}

function shortName({ name, id }: StatementAccount): string {
  const digits = id.replace(/[^\p{L}\p{N}]/gu, '').slice(-SHOWN_DIGITS);
  const whole = digits === '' ? name : `${name} ${digits}`;
  return whole[0]!.toUpperCase() + whole.slice(1);
}

/** The balances of a statement. One without a day is of the end of its period. */
function balancesOf(statement: RawAccount, decimal: Decimal | undefined): Balance[] {
  const end = readOfxDate(valueOf(statement.fields, 'DTEND'));
  return statement.balances.flatMap(({ kind, fields }) => {
    const amount = readAmount(valueOf(fields, 'BALAMT'), decimal);
    const date = readOfxDate(valueOf(fields, 'DTASOF')) ?? end;
    return typeof amount === 'string' ? [] : [{ kind, amount, date }];
  });
}

function bankOf(fields: Fields): string | null {
  return valueOf(fields, 'BANKID') || valueOf(fields, 'BROKERID') || null;
}

function valueOf(fields: Fields, key: string): string {
  return fields.get(key)?.value ?? '';
}
