import { recordKind, type RecordKind, type References } from '../book/record.ts';
import {
  accountNumberRecord,
  anchorRecord,
  manualAccountRecord,
  plaidAccountRecord,
} from './accounts/record.ts';
import { balanceRecord, deletedAccountRecord } from './balance-history/record.ts';
import { budgetRecord, budgetSettingsRecord } from './budgets/actions.ts';
import { categoryRecord } from './categories/actions.ts';
import { recurringRecord } from './recurring/items.ts';
import { ruleRecord } from './rules/record.ts';
import { tagRecord } from './tags/record.ts';
import { transactionRecord } from './transactions/record.ts';
import { categorySettingsRecord } from './categories/settings.ts';
import { transactionFiles, bookSettings, transfers } from '../db/tables/tables.ts';
import { toWire } from './transactions/attachments/rules.ts';
import sql from 'sql-template-tag';

/** A pair of transactions. What its rows say is not part of it, so that it does not change with them. */
const transferRecord = recordKind(transfers, {
  shows: 'id sent_id received_id found_by created_at',
  toWire: ({ id, sent_id, received_id, found_by, created_at }) => ({
    id,
    sent_id,
    received_id,
    found_by,
    created_at,
  }),
  rules: [
    {
      check: 'transfers',
      broken: sql`
        SELECT book_id, id, 'Transfer ' || id || ' pairs transaction ' || sent_id || ' with itself' AS detail
        FROM transfers WHERE sent_id = received_id`,
    },
    {
      check: 'transfers',
      broken: sql`
        SELECT p.book_id, p.id, 'Transfer ' || p.id || ' says that transaction ' || p.received_id
          || ' is received, but transfer ' || o.id || ' says that it is sent' AS detail
        FROM transfers p JOIN transfers o ON o.book_id = p.book_id AND o.sent_id = p.received_id
        WHERE p.sent_id <> p.received_id`,
    },
    {
      check: 'transfers',
      broken: sql`
        SELECT p.book_id, p.id, 'Transfer ' || p.id || ' pairs the transactions ' || p.sent_id || ' and ' || p.received_id
          || ', of which one does not exist' AS detail
        FROM transfers p
        WHERE NOT EXISTS (SELECT 1 FROM transactions t WHERE t.book_id = p.book_id AND t.id = p.sent_id)
          OR NOT EXISTS (SELECT 1 FROM transactions t WHERE t.book_id = p.book_id AND t.id = p.received_id)`,
    },
  ],
});

/** The primary currency of a book, if it was changed when the book had amounts. */
const bookSettingsRecord = recordKind(bookSettings, {
  toWire: ({ primary_currency }) => ({ primary_currency }),
  shows: 'number primary_currency first_currency',
  rules: [
    {
      check: 'primary currencies',
      broken: sql`SELECT s.book_id, s.number AS id, 'Book ' || s.book_id || ' has the primary currency "'
          || b.primary_currency || '", but "' || s.primary_currency || '" in its settings' AS detail
        FROM book_settings s JOIN books b ON b.id = s.book_id WHERE s.primary_currency <> b.primary_currency`,
    },
  ],
});

const fileRecord = recordKind(transactionFiles, {
  toWire: (row) => ({ ...toWire(row), transaction_id: row.transaction_id }),
  shows: 'id transaction_id uploaded_by name type size notes created_at',
});

/**
 * The kinds of records of the ledger, in the order in which a merge, a removal or a new rate changes them. This is the
 * place to add one; `history/records.ts` has those of connections too.
 */
export const ledgerRecords: readonly RecordKind[] = [
  bookSettingsRecord,
  manualAccountRecord,
  plaidAccountRecord,
  anchorRecord,
  deletedAccountRecord,
  balanceRecord,
  budgetRecord,
  budgetSettingsRecord,
  categorySettingsRecord,
  transactionRecord,
  fileRecord,
  transferRecord,
  categoryRecord,
  tagRecord,
  recurringRecord,
  ruleRecord,
  accountNumberRecord,
];

/** Returns what happens to the records that refer to records of a table, when one of those is merged or removed. */
export function referencesTo<T extends keyof References>(table: T): NonNullable<References[T]>[] {
  return ledgerRecords.flatMap(({ refersTo }) => refersTo[table] ?? []);
}
