import type { DemoManualAccount, DemoPlaidAccount, DemoTransaction } from './demo-book.ts';
import { dayOn } from './calendar.ts';

const manualTable = {
  creditUnion: {
    name: 'Credit Union Checking',
    type: 'cash',
    subtype: 'checking',
    institutionName: 'Cedar Valley Credit Union',
    currency: 'usd',
    balance: 42_186_300,
  },
  savings: {
    name: 'Rainy Day Savings',
    type: 'cash',
    subtype: 'savings',
    institutionName: 'Cedar Valley Credit Union',
    currency: 'usd',
    balance: 684_170_500,
  },
  wallet: {
    name: 'Cash Wallet',
    type: 'cash',
    subtype: 'physical cash',
    institutionName: null,
    currency: 'usd',
    balance: 870_000,
  },
  euro: {
    name: 'Euro Account',
    type: 'cash',
    subtype: 'checking',
    institutionName: 'Banque Rivage',
    currency: 'eur',
    balance: 71_284_400,
  },
  brokerage: {
    name: 'Index Fund Brokerage',
    type: 'investment',
    subtype: 'brokerage',
    institutionName: 'Plumb Line Investing',
    currency: 'usd',
    balance: 1_283_521_000,
  },
  car: {
    name: 'Family Car',
    type: 'vehicle',
    subtype: 'automobile',
    institutionName: null,
    currency: 'usd',
    balance: 118_000_000,
  },
  studentLoan: {
    name: 'Student Loan',
    type: 'loan',
    subtype: 'student',
    institutionName: 'Scholars Loan Servicing',
    currency: 'usd',
    balance: 0,
  },
} as const satisfies Record<string, DemoManualAccount>;

const plaidTable = {
  checking: {
    name: 'Everyday Checking',
    type: 'depository',
    subtype: 'checking',
    mask: '4821',
    institutionName: 'First Harbor Bank',
    currency: 'usd',
    balance: 142_944_700,
  },
  travelCard: {
    name: 'Voyager Rewards Card',
    type: 'credit',
    subtype: 'credit card',
    mask: '7730',
    institutionName: 'First Harbor Bank',
    currency: 'usd',
    balance: 0,
  },
  cashBackCard: {
    name: 'Juniper Cash Back',
    type: 'credit',
    subtype: 'credit card',
    mask: '0956',
    institutionName: 'Juniper Card Services',
    currency: 'usd',
    balance: 0,
  },
} as const satisfies Record<string, DemoPlaidAccount>;

type ManualAccountName = keyof typeof manualTable;
export type CardName = 'travelCard' | 'cashBackCard';
export type AccountName = ManualAccountName | keyof typeof plaidTable;

/** How rows get into each manual account. */
const manualSources: Record<ManualAccountName, DemoTransaction['source']> = {
  creditUnion: 'csv',
  savings: 'csv',
  wallet: 'manual',
  euro: 'api',
  brokerage: 'api',
  car: 'manual',
  studentLoan: 'csv',
};

/** Where a row sits: indices into the book's two lists of accounts, at most one of them set. */
export interface AccountPlace {
  readonly manualAccount: number | null;
  readonly plaidAccount: number | null;
  readonly source: DemoTransaction['source'];
}

const noAccount: AccountPlace = { manualAccount: null, plaidAccount: null, source: 'manual' };
const places = new Map<AccountName, AccountPlace>([
  ...(Object.keys(manualTable) as ManualAccountName[]).map(
    (name, index): [AccountName, AccountPlace] => [
      name,
      { manualAccount: index, plaidAccount: null, source: manualSources[name] },
    ],
  ),
  ...(Object.keys(plaidTable) as AccountName[]).map((name, index): [AccountName, AccountPlace] => [
    name,
    { manualAccount: null, plaidAccount: index, source: 'plaid' },
  ]),
]);

const cashBackOpens = dayOn('2018-05-01');

/** The place of rows of that account; null stands for cash that belongs to no account. */
export function accountPlace(name: AccountName | null): AccountPlace {
  return name === null ? noAccount : places.get(name)!;
}

/** The account that pays on that day: before the second card was opened, the first one pays in its stead. */
export function payingAccount(name: AccountName | null, day: number): AccountName | null {
  return name === 'cashBackCard' && day < cashBackOpens ? 'travelCard' : name;
}

/** Whether the account is a synced one. */
export function isPlaid(name: AccountName | null): boolean {
  return accountPlace(name).plaidAccount !== null;
}

/** The accounts of the demo book that are kept by hand. */
export function listManualAccounts(): DemoManualAccount[] {
  return Object.values(manualTable).map((account) => ({ ...account }));
}

/** The synced accounts; a card's balance is what is owed on it, in ten-thousandths. */
export function listPlaidAccounts(owed: Readonly<Record<CardName, number>>): DemoPlaidAccount[] {
  const { checking, travelCard, cashBackCard } = plaidTable;
  return [
    { ...checking },
    { ...travelCard, balance: owed.travelCard },
    { ...cashBackCard, balance: owed.cashBackCard },
  ];
}
