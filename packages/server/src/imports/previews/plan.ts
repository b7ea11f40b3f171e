import type { Statement } from '@coffer/statements/src/statement/statement.ts';
import type { PreviewOptions } from '../operations/preview-options.ts';
import type { PreviewWork } from '../operations/import-service.ts';
import { given } from '../../db/table.ts';
import type { ImportEntry, ImportPlan, OnDoubt } from '../entry.ts';
import { JudgedEntries } from './judged.ts';
import type { OpenPreview } from './open-preview.ts';

/** What a plan of an import needs. */
interface Planned {
  readonly work: PreviewWork;
  readonly opened: OpenPreview;
  readonly options: PreviewOptions;
  readonly dryRun: boolean;
  readonly choices?: ReadonlyMap<number, OnDoubt>;
  readonly onProgress: (entriesRead: number) => void;
}

/** Returns the import of a preview. After it, `judged` returns the verdicts. */
export function planOf(planned: Planned): { plan: ImportPlan; judged: () => JudgedEntries } {
  const { work, opened, options, dryRun, choices, onProgress } = planned;
  const { statement, plan: accounts, settled, remembered } = opened;
  const currency = settled.currency ?? remembered.currency;
  let judged = new JudgedEntries(0);
  const plan: ImportPlan = {
    ...accounts,
    dryRun,
    onProgress,
    importId: work.id,
    actor: work.actor,
    format: statement.format,
    keepsEmptyPayees: statement.isOwn,
    leftOut: leftOutOf(statement),
    ...given({ onDoubt: options.on_doubt }),
    ...(choices && { choices }),
    ...(currency !== undefined && { currency }),
    // The engine may start again.
    entries: () => {
      judged = new JudgedEntries(statement.entryCount);
      return statement.entries() as Iterable<ImportEntry>;
    },
    onVerdict: (verdict) => judged.add(verdict),
  };
  return { plan, judged: () => judged };
}

/** Returns how many lines of a file are no entries. */
function leftOutOf({ leftOut }: Statement): number {
  return leftOut.reduce((sum, { count }) => sum + count, 0);
}
