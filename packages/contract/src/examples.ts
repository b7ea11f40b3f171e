import type { Category, CategoryListResponse, ChildCategory } from './category.ts';
import {
  bitcoin,
  coinbaseAccount,
  syncedList,
  unpricedAsset,
  unreadWallet,
} from './crypto-examples.ts';
import type { ErrorBody } from './error-body.ts';
import { cryptoBalanceNotFound, errorTable, recordNotFound, type ErrorKind } from './errors.ts';
import type { Me } from './me.ts';
import type { Transaction, TransactionListResponse } from './transaction.ts';

/** A whole answer, with a line about what it shows. */
export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

const me: Me = {
  name: 'Ada Quill',
  email: 'ada@example.org',
  id: 1,
  account_id: 1,
  budget_name: 'Household',
  primary_currency: 'eur',
  api_key_label: 'laptop',
};

const bakery: Transaction = {
  id: 5120,
  date: '2026-03-14',
  amount: '7.4000',
  currency: 'eur',
  to_base: 7.4,
  recurring_id: null,
  payee: 'Corner Bakery',
  original_name: 'CORNER BAKERY 0042',
  category_id: 12,
  plaid_account_id: null,
  manual_account_id: 3,
  external_id: '2026-03-14-0007',
  tag_ids: [4],
  notes: null,
  status: 'reviewed',
  is_pending: false,
  created_at: '2026-03-15T06:30:00.000Z',
  updated_at: '2026-03-15T06:30:00.000Z',
  is_split_parent: false,
  split_parent_id: null,
  is_group_parent: false,
  group_parent_id: null,
  source: 'csv',
};

const salary: Transaction = {
  ...bakery,
  id: 5093,
  date: '2026-03-01',
  amount: '-2840.0000',
  to_base: -2840,
  payee: 'Salary',
  original_name: 'PAYROLL MARCH',
  category_id: 20,
  external_id: null,
  tag_ids: [],
  notes: 'March',
  source: 'manual',
};

const alone = { plaid_metadata: null, custom_metadata: null, files: [] };

const receipt: Transaction = {
  ...bakery,
  plaid_metadata: null,
  custom_metadata: { till: 2 },
  files: [
    {
      id: 8,
      uploaded_by: 1,
      name: 'receipt.pdf',
      type: 'application/pdf',
      size: 41,
      notes: null,
      created_at: '2026-03-15T06:31:20.250Z',
    },
  ],
};

const trip: Transaction = {
  ...bakery,
  ...alone,
  id: 5130,
  amount: '52.6000',
  to_base: 52.6,
  payee: 'Day trip',
  original_name: 'Day trip',
  manual_account_id: null,
  external_id: null,
  is_group_parent: true,
  source: 'api',
  children: [
    { ...bakery, ...alone, group_parent_id: 5130 },
    {
      ...salary,
      ...alone,
      id: 5121,
      date: '2026-03-14',
      amount: '45.2000',
      to_base: 45.2,
      payee: 'Railway',
      original_name: 'RAILWAY',
      category_id: 13,
      notes: null,
      group_parent_id: 5130,
    },
  ],
};

const page: TransactionListResponse = { transactions: [bakery, salary], has_more: true };
const pastTheEnd: TransactionListResponse = { transactions: [], has_more: false };

const bread: ChildCategory = {
  id: 12,
  name: 'Bread and cake',
  description: null,
  is_income: false,
  exclude_from_budget: false,
  exclude_from_totals: false,
  updated_at: '2026-01-02T09:00:00.000Z',
  created_at: '2026-01-02T09:00:00.000Z',
  group_id: 10,
  is_group: false,
  archived: false,
  archived_at: null,
  order: 1,
  collapsed: false,
};

const food: Category = {
  ...bread,
  id: 10,
  name: 'Food',
  description: 'Everything to eat',
  group_id: null,
  is_group: true,
  children: [bread],
};

const wages: Category = {
  ...bread,
  id: 20,
  name: 'Wages',
  is_income: true,
  group_id: null,
  order: null,
};

const nested: CategoryListResponse = { categories: [food, wages] };
const flattened: CategoryListResponse = { categories: [food, bread, wages] };

const tooSlow: ErrorBody = {
  message: errorTable.gatewayTimeout.message,
  errors: [{ errMsg: errorTable.gatewayTimeout.errMsg, reason: 'timeout' }],
};

const keyRefused: ErrorBody = {
  message: errorTable.badGateway.message,
  errors: [{ errMsg: 'Coinbase does not take the key of this account', reason: 'refused' }],
};

const limitTooLarge: ErrorBody = {
  message: errorTable.validation.message,
  errors: [
    {
      errMsg: 'Query parameter limit must be at most 2000, not "2001"',
      instancePath: '/query/limit',
      schemaPath: '#/properties/query/properties/limit/maximum',
      keyword: 'maximum',
      params: { comparison: '<=', limit: 2000 },
    },
  ],
};

const unknownParameter: ErrorBody = {
  message: errorTable.validation.message,
  errors: [
    {
      errMsg: 'Unknown query parameter "strat_date"',
      instancePath: '/query',
      schemaPath: '#/properties/query/additionalProperties',
      keyword: 'additionalProperties',
      params: { additionalProperty: 'strat_date' },
    },
  ],
};

function plain(kind: ErrorKind): ErrorBody {
  const { message, errMsg } = errorTable[kind];
  return { message, errors: [{ errMsg }] };
}

function missing(noun: string): ErrorBody {
  return notFound(recordNotFound(noun, 543210));
}

function notFound(errMsg: string): ErrorBody {
  return { message: errorTable.recordNotFound.message, errors: [{ errMsg }] };
}

/** Example answers, by the answer they are for; the tests hold each to its schema. */
export const examples = {
  me: { token: { summary: 'A token with a label', value: me } },
  transactionList: {
    page: { summary: 'A first page with limit=2, more to come', value: page },
    pastTheEnd: { summary: 'An offset past the last match', value: pastTheEnd },
  },
  transaction: {
    receipt: { summary: 'A transaction with a file and data of its own', value: receipt },
    group: { summary: 'A group and its members', value: trip },
  },
  categoryList: {
    nested: { summary: 'format=nested', value: nested },
    flattened: { summary: 'format=flattened', value: flattened },
  },
  category: {
    category: { summary: 'A category in a group', value: bread },
    group: { summary: 'A group', value: food },
  },
  syncedCryptoList: { accounts: { summary: 'An exchange and a new wallet', value: syncedList } },
  syncedCryptoAccount: {
    coinbase: { summary: 'An account at an exchange', value: coinbaseAccount },
    wallet: { summary: 'A wallet that was not read yet', value: unreadWallet },
  },
  syncedCryptoBalance: {
    bitcoin: { summary: 'A balance with a price', value: bitcoin },
    unpriced: { summary: 'An asset that has no price', value: unpricedAsset },
  },
  badRequest: {
    outOfBounds: { summary: 'limit=2001', value: limitTooLarge },
    unknownParameter: { summary: 'A misspelt parameter', value: unknownParameter },
  },
  unauthorized: {
    noToken: { summary: 'No token was sent', value: plain('missingToken') },
    deadToken: {
      summary: 'The token is unknown, revoked or expired',
      value: plain('invalidToken'),
    },
  },
  notFound: {
    transaction: { summary: 'No such transaction', value: missing('transaction') },
    category: { summary: 'No such category', value: missing('category') },
    cryptoAccount: {
      summary: 'No such synced crypto account',
      value: missing('synced crypto account'),
    },
    cryptoBalance: {
      summary: 'An asset that the account does not hold',
      value: notFound(cryptoBalanceNotFound('doge', 543210)),
    },
  },
  tooManyRequests: { spent: { summary: 'The window is used up', value: plain('tooManyRequests') } },
  internal: { fault: { summary: 'A fault of the service', value: plain('internal') } },
  badGateway: {
    refused: { summary: 'The provider does not take the key', value: keyRefused },
  },
  gatewayTimeout: {
    late: { summary: 'The provider is too slow', value: tooSlow },
  },
  unavailable: { store: { summary: 'The store is out of reach', value: plain('unavailable') } },
} as const satisfies Record<string, Record<string, Example>>;
