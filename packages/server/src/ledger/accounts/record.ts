import { formatAmount } from '@coffer/core/money';
import sql from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import { recordKind } from '../../book/record.ts';
import { deleteUnlogged } from '../../book/unlogged.ts';
import { moveOrigins } from '../../db/import-origins.ts';
import { select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import {
  accountNumbers,
  balanceAnchors,
  importOrigins,
  manualAccounts,
  plaidAccounts,
} from '../../db/tables/tables.ts';
import type { CurrencyCode } from '../../operations/currencies.ts';
import { wireNumber } from '../../operations/schema.ts';
import type { PlaidAccount } from './plaid-schema.ts';
import { dropAnchors, type BalanceAnchor } from './anchors.ts';
import type { BalanceAnchorWire } from './proof-schema.ts';
import { toWire } from './rules.ts';

// Movements add the values that they had at their own rates.
const isConverted = sql`1 = 0`;

export const manualAccountRecord = recordKind(manualAccounts, {
  toWire,
  shows: `id name display_name institution_name type subtype currency balance to_base balance_as_of status closed_on
    external_id exclude_from_transactions custom_metadata created_by_name created_at updated_at`,
  isConverted,
  valueDay: () => null,
});

export const plaidAccountRecord = recordKind(plaidAccounts, {
  toWire: plaidToWire,
  shows: `id name display_name institution_name type subtype mask currency balance to_base credit_limit status
    allow_transaction_modifications plaid_item_id linked_by_name date_linked import_start_date balance_last_update
    last_import last_fetch plaid_last_successful_update connection_id remote_id`,
  isConverted,
  valueDay: () => null,
});

/** A balance that is known for a day goes with its account: a merged account keeps what it has. */
export const anchorRecord = recordKind(balanceAnchors, {
  toWire: anchorToWire,
  shows: 'id manual_account_id plaid_account_id day source balance currency ahead import_id set_at',
  isConverted,
  refersTo: {
    manual_accounts: {
      move: (change, id) => dropAnchors(change, { kind: 'manual', id }),
      remove: (change, id) => dropAnchors(change, { kind: 'manual', id }),
    },
  },
  rules: [
    {
      check: 'balance anchors',
      broken: sql`SELECT a.book_id, a.id, 'balance anchor ' || a.id || ' is of an account that does not exist' AS detail
        FROM balance_anchors a
        WHERE NOT EXISTS (SELECT 1 FROM manual_accounts m WHERE m.book_id = a.book_id AND m.id = a.manual_account_id)
          AND NOT EXISTS (SELECT 1 FROM plaid_accounts p WHERE p.book_id = a.book_id AND p.id = a.plaid_account_id)`,
    },
  ],
});

/** Returns an anchor as in a response. */
export function anchorToWire(row: BalanceAnchor): BalanceAnchorWire {
  const { id, manual_account_id, plaid_account_id, day, source, currency, import_id, set_at } = row;
  return {
    id,
    manual_account_id,
    plaid_account_id,
    day,
    source,
    balance: formatAmount(row.balance),
    currency: currency as CurrencyCode,
    import_id,
    set_at,
  };
}

/** The numbers by which imports find a manual account, and what files had said of rows changed or deleted since. */
export const accountNumberRecord = recordKind(accountNumbers, {
  shows: '',
  refersTo: {
    manual_accounts: {
      *move(change, from, into) {
        const rows = yield* numbersOf(change, from);
        if (into.manual_account_id === null) yield* change.removeAll(accountNumbers, rows);
        else
          yield* change.updateAll(accountNumbers, rows, {
            manual_account_id: into.manual_account_id,
          });
        yield* moveOrigins(change.bookId, from, into);
      },
      *remove(change, id) {
        yield* change.removeAll(accountNumbers, yield* numbersOf(change, id));
        const origins = { book_id: change.bookId, manual_account_id: id };
        yield* deleteUnlogged(importOrigins, origins);
      },
    },
  },
});

function* numbersOf({ bookId: book_id }: Change, manual_account_id: number) {
  return yield* select(accountNumbers, { book_id, manual_account_id });
}

/** Returns a plaid account as in a response. */
export function plaidToWire(row: Row<typeof plaidAccounts>): PlaidAccount {
  return {
    id: row.id,
    plaid_item_id: row.plaid_item_id,
    date_linked: row.date_linked,
    linked_by_name: row.linked_by_name,
    name: row.name,
    display_name: row.display_name,
    type: row.type,
    subtype: row.subtype,
    mask: row.mask,
    institution_name: row.institution_name,
    status: row.status as PlaidAccount['status'],
    allow_transaction_modifications: row.allow_transaction_modifications,
    limit: row.credit_limit === null ? null : wireNumber(row.credit_limit),
    balance: formatAmount(row.balance),
    currency: row.currency,
    to_base: wireNumber(row.to_base),
    balance_last_update: row.balance_last_update,
    import_start_date: row.import_start_date,
    last_import: row.last_import,
    last_fetch: row.last_fetch,
    plaid_last_successful_update: row.plaid_last_successful_update,
  };
}
