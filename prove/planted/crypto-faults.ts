import { faultsOf, type PlantedFault } from './planted-fault.ts';

const store = 'packages/server/src/store';
const foreign = ['prove/f11-foreign-records.test.ts'];

/** Synced crypto: whose accounts are seen. */
export const cryptoFaults: readonly PlantedFault[] = [
  ...faultsOf(`${store}/crypto.ts`, foreign, {
    'synced accounts of other books are listed': [
      'FROM crypto_synced_accounts WHERE book_id = ${bookId} ORDER',
      'FROM crypto_synced_accounts ORDER',
    ],
    'a synced account of another book is refreshed': [
      'AS sealed\n    FROM crypto_synced_accounts WHERE book_id = ${bookId} AND id',
      'AS sealed\n    FROM crypto_synced_accounts WHERE id',
    ],
  }),
];
