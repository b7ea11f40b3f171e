import { Actor } from './actor.ts';
import { HistoryEntry, HistoryList, HistoryRecord, HistoryVersion } from './schema.ts';
import { TransactionChange, TransactionHistory } from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const historyComponents = {
  Actor,
  HistoryEntry,
  HistoryList,
  HistoryRecord,
  HistoryVersion,
  TransactionChange,
  TransactionHistory,
};
