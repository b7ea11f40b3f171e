import { useEffect, useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { ApiError, describeError } from '../../api/errors.ts';
import { conflictsIn, conflictsOf } from '../../api/undo.ts';
import type { ImportRecord, UndoConflict } from '../../books/types.ts';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { importTexts as t } from '../../texts/en/import.ts';
import { undoTexts } from '../../texts/en/undo.ts';
import { UndoConflicts } from '../flow/undo-conflicts.tsx';
import { useUndoImport, type Undoing } from './data.ts';

/** The undo of one import. */
export interface ImportUndoing {
  /** Undoes the import, or restores it when it is undone; null when that is not possible now. */
  readonly run: (() => void) | null;
  readonly isBusy: boolean;
  /** The conflicts, while a person decides about them. */
  readonly dialog: ReactElement;
}

/** Undoes and restores an import, with the messages about it and the decision about conflicts. */
export function useImportUndo(record: ImportRecord): ImportUndoing {
  const { id, status, is_pruned, work } = record;
  const name = record.file_name ?? t.unnamed;
  const undoing = useUndoImport();
  const [, navigate] = useLocation();
  const [found, setFound] = useState<readonly UndoConflict[]>([]);
  const [closed, setClosed] = useState<unknown>(null);
  const refused = work?.is_under_way === false ? work.errors : null;
  const kept = refused === null || refused === closed ? [] : conflictsIn(refused);
  const conflicts = found.length > 0 ? found : kept;
  const isOtherRefusal = refused !== null && conflictsIn(refused).length === 0;
  useEffect(() => {
    if (isOtherRefusal)
      showToast({ text: refused.map(({ errMsg }) => errMsg).join('; '), look: 'problem' });
  }, [isOtherRefusal, refused]);
  const start = (order: Undoing): void => {
    // Not by the callbacks of `mutate`, which are lost when the screen is left before the response.
    void undoing.mutateAsync(order).then(
      (done) => {
        report(name, order, done.import);
        // Its page shows how far it is.
        if (done.import.work?.is_under_way === true) navigate(`/import/${id}`);
      },
      (error: unknown) => {
        const met = conflictsOf(error);
        if (met.length === 0) showToast({ text: reasonOf(error), look: 'problem' });
        else if (order.conflicts === 'skip')
          showToast({ text: undoTexts.nothingLeft, look: 'problem' });
        else setFound(met);
      },
    );
  };
  const kind = status === 'undone' ? 'redo' : 'undo';
  const isBusy = undoing.isPending || work?.is_under_way === true;
  const isPossible = !is_pruned && !isBusy && status !== 'preview' && record.version !== null;
  const close = (): void => {
    setFound([]);
    setClosed(refused);
  };
  return {
    isBusy,
    run: isPossible ? () => start({ id, kind }) : null,
    dialog: (
      <UndoConflicts
        conflicts={conflicts}
        onClose={close}
        onSkip={() => {
          close();
          start({ id, kind, conflicts: 'skip' });
        }}
      />
    ),
  };
}

function report(name: string, { kind }: Undoing, { status }: ImportRecord): void {
  if (kind === 'undo' && status === 'undone') showToast({ text: t.wasUndone(name) });
  if (kind === 'redo' && status === 'imported') showToast({ text: t.wasRestored(name) });
}

function reasonOf(error: unknown): string {
  return error instanceof ApiError && error.status === 410
    ? undoTexts.pruned
    : describeError(error);
}
