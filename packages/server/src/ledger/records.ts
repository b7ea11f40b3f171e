import type { RecordKind, References } from '../book/record.ts';
import {
  accountNumberRecord,
  anchorRecord,
  manualAccountRecord,
  plaidAccountRecord,
} from './accounts/record.ts';
import { balanceRecord, deletedAccountRecord } from './balance-history/record.ts';
import { budgetRecord, budgetSettingsRecord } from './budgets/record.ts';
import { categoryRecord } from './categories/record.ts';
import { bookSettingsRecord } from './currencies/record.ts';
import { recurringRecord } from './recurring/record.ts';
import { ruleRecord } from './rules/record.ts';
import { tagRecord } from './tags/record.ts';
import { fileRecord } from './transactions/attachments/record.ts';
import { transactionRecord } from './transactions/record.ts';
import { transferRecord } from './transactions/transfers/record.ts';
import { categorySettingsRecord } from './categories/settings.ts';

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
