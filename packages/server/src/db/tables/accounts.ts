import {
  anyAmount,
  bookTable,
  currency,
  day,
  id,
  idOf,
  integer,
  nullable,
  oneOf,
  sorted,
  sortedText,
  withDefault,
} from '../table.ts';
import type { Table } from '../table.ts';

/** Who says what an account had at the end of a day. */
export const anchorSources = ['statement', 'user', 'bank', 'api'] as const;

/**
 * The balances of accounts that are known for a day: see docs/decisions/093-balances-follow-from-anchors.md. An anchor
 * has one account. It is no reference, so that an anchor never keeps an account from an undo; it goes with its account.
 */
export const balanceAnchors = bookTable(
  'balance_anchors',
  {
    id,
    book_id: integer,
    manual_account_id: nullable(idOf('manual_accounts')),
    plaid_account_id: nullable(idOf('plaid_accounts')),
    day: sorted(day),
    source: sorted(oneOf(...anchorSources)),
    /** What the account has at the end of the day; debts are negative, whatever the type of the account is. */
    balance: anyAmount,
    currency,
    /** What the balance has of transactions after the day: a write counts at once, whatever its date is. */
    ahead: withDefault(anyAmount, 0),
    /** The import that has read it in a file. */
    import_id: nullable(idOf('imports')),
    /** When it got its balance. Of two anchors of one day the later one counts. */
    set_at: sortedText,
  },
  {
    noun: 'balance anchor',
    uniqueTogether: [
      ['manual_account_id', 'day', 'source'],
      ['plaid_account_id', 'day', 'source'],
    ],
    exclusive: [['manual_account_id', 'plaid_account_id']],
    movements: { columns: ['balance', 'ahead'], at: 'set_at' },
  },
);

/** The records of a book about manual and synced accounts. A table comes after those that it refers to. */
export const accountsRecords: readonly Table<'book'>[] = [balanceAnchors];

/** The other tables about manual and synced accounts, and their merging, which a move copies. */
export const accountsTables: readonly Table<'server'>[] = [];
