import type { HistoryEntry, HistoryRecord, TransactionChange } from './schema.ts';

const token = { kind: 'token', id: 12, name: 'phone' };
const undone = { undoes: null, undone_by: null };

const change = {
  version: 82,
  at: '2026-06-02T07:15:00.000Z',
  actor: token,
  ...undone,
  operation: 'updateTransaction',
};
const renamed: HistoryEntry = {
  ...change,
  counts: [{ record: 'transactions', kind: 'changed', count: 1 }],
};
const imported: HistoryEntry = {
  version: 81,
  at: '2026-06-01T08:30:00.000Z',
  ...undone,
  actor: { kind: 'command', id: null, name: null },
  operation: 'import',
  counts: [
    { record: 'manual_accounts', kind: 'changed', count: 1 },
    { record: 'transactions', kind: 'made', count: 41 },
  ],
};
const record: HistoryRecord = {
  record: 'transactions',
  id: 9125,
  kind: 'changed',
  before: { payee: 'REWE SAGT DANKE', category_id: null },
  after: { payee: 'REWE', category_id: 83 },
};
const { kind, before, after } = record;
const ofTransaction: TransactionChange = { ...change, kind, before, after };

/** Example bodies; tests check each against its schema. */
export const historyExamples = {
  list: {
    newest: {
      summary: 'The two newest changes',
      value: { history: [renamed, imported], has_more: true },
    },
  },
  version: {
    renamed: {
      summary: 'A changed transaction',
      value: { ...renamed, records: [record], has_more: false },
    },
  },
  transaction: {
    renamed: {
      summary: 'The newest change of a transaction',
      value: { history: [ofTransaction], has_more: true },
    },
  },
} as const;
