import { recordKind } from '../../../book/record.ts';
import { transactionFiles } from '../../../db/tables/tables.ts';
import { toWire } from './rules.ts';

export const fileRecord = recordKind(transactionFiles, {
  toWire: (row) => ({ ...toWire(row), transaction_id: row.transaction_id }),
  shows: 'id transaction_id uploaded_by name type size notes created_at',
});
