import type { Profile } from './profile.ts';

/** Exports of applications, the more special headers first. */
export const APPLICATIONS: readonly Profile[] = [
  {
    name: 'Coffer',
    header: 'id|date|amount|currency|payee|notes|account|category|tags|status|external id',
    columns: { payee: 'payee', notes: 'notes', tags: 'tags' },
    ignored: ['status'],
    isApplication: true,
    isOwn: true,
  },
  {
    name: 'Lunch Money',
    header: 'date|payee|amount|is income',
    columns: {
      account: 'account name|account display name|plaid account name|asset name|account',
      notes: 'notes',
    },
    isNegated: true,
    isApplication: true,
  },
  {
    name: 'Lunch Money',
    header: 'date|payee|amount|exclude from budget',
    columns: {
      account: 'account name|account display name|plaid account name|asset name|account',
      notes: 'notes',
    },
    isNegated: true,
    isApplication: true,
  },
  {
    name: 'YNAB',
    header: 'date|payee|memo|outflow|inflow',
    columns: {
      ...{ account: 'account', payee: 'payee', notes: 'memo', debit: 'outflow', credit: 'inflow' },
      category: 'category group/category|category|sub category',
      tags: 'flag',
    },
    ignored: ['status', 'amount', 'balance'],
    dateOrder: 'm/d/y',
    splits: 'ynab',
    isApplication: true,
  },
  {
    name: 'Mint',
    header:
      'date|description|original description|amount|transaction type|category|account name|labels|notes',
    columns: {
      ...{ payee: 'description', direction: 'transaction type', tags: 'labels', notes: 'notes' },
      ...{ account: 'account name', category: 'category' },
    },
    dateOrder: 'm/d/y',
    wordsDecide: true,
    currency: 'usd',
    isApplication: true,
  },
  {
    name: 'Firefly III',
    header: 'journal id|type|amount|currency code|description|date|source name|destination name',
    columns: {
      ...{ date: 'date', amount: 'amount', currency: 'currency code', category: 'category' },
      ...{ tags: 'tags', notes: 'notes', payee: 'description' },
    },
    ignored: ['status', 'fee', 'external_id', 'account', 'balance'],
    splits: 'firefly',
    isApplication: true,
  },
  {
    name: 'Actual',
    header: 'account|date|payee|notes|category|amount|split amount|cleared',
    columns: {
      account: 'account',
      payee: 'payee',
      notes: 'notes',
      category: 'category',
      amount: 'amount',
    },
    ignored: ['status', 'debit', 'credit'],
    splits: 'actual',
    isApplication: true,
  },
  {
    name: 'Monarch',
    header: 'date|merchant|category|account|original statement|notes|amount|tags',
    columns: { payee: 'merchant|original statement', notes: 'notes', tags: 'tags' },
    isApplication: true,
  },
  {
    name: 'Copilot',
    header: 'date|name|amount|status|category|parent category|excluded|tags|type|account',
    columns: { payee: 'name', notes: 'note', account: 'account' },
    ignored: ['direction'],
    isNegated: true,
    isApplication: true,
  },
  {
    name: 'Monefy',
    header: 'date|account|category|amount|currency|converted amount|description',
    columns: { payee: 'description' },
    isApplication: true,
  },
];
