import type { Change } from '../../../book/change.ts';
import type { Steps } from '../../../db/engine.ts';
import { categories, manualAccounts, plaidAccounts, tags } from '../../../db/tables/tables.ts';

/** The ids of the records that tests of writes refer to. */
export interface WriteScene {
  readonly cash: number;
  readonly card: number;
  readonly bank: number;
  /** A synced account whose transactions cannot be changed. */
  readonly locked: number;
  readonly food: number;
  readonly group: number;
  readonly tagA: number;
  readonly tagB: number;
}

/** Inserts the records of a {@link WriteScene}; all balances are 0. */
export function* makeWriteScene(change: Change): Steps<WriteScene> {
  const account = { balance: 0, balance_as_of: change.at, created_by_name: 'Ada' };
  const linked = {
    currency: 'eur',
    balance: 0,
    institution_name: 'Bank',
    mask: '1234',
    type: 'cash',
  };
  const synced = {
    ...linked,
    subtype: 'checking',
    linked_by_name: 'Ada',
    date_linked: '2026-01-01',
  };
  const manual = function* (name: string, type: string, currency: string) {
    return (yield* change.insert(manualAccounts, { ...account, name, type, currency })).id;
  };
  const plaid = function* (name: string, allow_transaction_modifications: boolean) {
    const columns = { ...synced, name, allow_transaction_modifications };
    return (yield* change.insert(plaidAccounts, columns)).id;
  };
  return {
    cash: yield* manual('Cash', 'cash', 'eur'),
    card: yield* manual('Card', 'credit', 'usd'),
    bank: yield* plaid('Bank', true),
    locked: yield* plaid('Locked', false),
    food: (yield* change.insert(categories, { name: 'Food' })).id,
    group: (yield* change.insert(categories, { name: 'Group', is_group: true })).id,
    tagA: (yield* change.insert(tags, { name: 'a' })).id,
    tagB: (yield* change.insert(tags, { name: 'b' })).id,
  };
}
