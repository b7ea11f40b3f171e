import type { Engine } from '../../packages/server/src/db/engine.ts';
import { importEntries, type ImportSummary } from '../../packages/server/src/imports/commit.ts';
import type { ImportEntry, ImportPlan } from '../../packages/server/src/imports/entry.ts';

export function entryOf(
  entry: Pick<ImportEntry, 'line' | 'date' | 'amount' | 'payee'> & Partial<ImportEntry>,
): ImportEntry {
  const none = { notes: null, category: null, account: null, externalId: null };
  return { currency: null, ...none, ...entry };
}

export function importInto(
  engine: Engine,
  bookId: number,
  entries: readonly ImportEntry[],
  more: Partial<ImportPlan> = {},
): Promise<ImportSummary> {
  const plan = { defaultAccount: null, dryRun: false, ...more };
  return importEntries(engine, bookId, { ...plan, entries: () => entries });
}
