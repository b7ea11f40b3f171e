import type { BankReader } from '../banks/bank-reader.ts';

/** Returns a reader that accepts every setup token, and whose banks have no accounts. */
export function calmBankReader(now: () => number): BankReader {
  return {
    setup: 'on',
    claim: () => Promise.resolve(Buffer.of(1)),
    read: () =>
      Promise.resolve({ readAt: new Date(now()).toISOString(), accounts: [], problems: [] }),
  };
}
