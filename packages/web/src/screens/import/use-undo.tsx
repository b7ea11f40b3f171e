import { useEffect, useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { ApiError, describeError } from '../../api/errors.ts';
import { conflictsIn } from '../../api/undo.ts';
import type { ImportRecord } from '../../books/types.ts';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { importTexts as t } from '../../texts/en/import.ts';
import { undoTexts } from '../../texts/en/undo.ts';
import { useConflicts, UndoConflicts } from '../flow/undo-conflicts.tsx';
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
  const { mutateAsync, isPending } = useUndoImport();
  const { attempt, dialog } = useConflicts();
  const [, navigate] = useLocation();
  const [closed, setClosed] = useState<unknown>(null);
  const refused = work?.is_under_way === false ? work.errors : null;
  const kept = refused === null || refused === closed ? [] : conflictsIn(refused);
  const isOtherRefusal = refused !== null && conflictsIn(refused).length === 0;
  useEffect(() => {
    if (isOtherRefusal)
      showToast({ text: refused.map(({ errMsg }) => errMsg).join('; '), look: 'problem' });
  }, [isOtherRefusal, refused]);
  const kind = status === 'undone' ? 'redo' : 'undo';
  const start = (how?: 'skip'): void => {
    setClosed(refused);
    const undoing = {
      reasonOf,
      canSkip: kind === 'undo',
      undo: (conflicts?: 'skip') => mutateAsync({ id, kind, conflicts }),
      onDone: (done: { readonly import: ImportRecord }) => {
        report(name, kind, done.import);
        // Its page shows how far it is.
        if (done.import.work?.is_under_way === true) navigate(`/import/${id}`);
      },
    };
    attempt(undoing, how);
  };
  const isBusy = isPending || work?.is_under_way === true;
  const isPossible = !is_pruned && !isBusy && status !== 'preview' && record.version !== null;
  return {
    isBusy,
    run: isPossible ? () => start() : null,
    dialog: dialog ?? (
      <UndoConflicts
        conflicts={kept}
        onClose={() => setClosed(refused)}
        onSkip={kind === 'undo' ? () => start('skip') : null}
      />
    ),
  };
}

function report(name: string, kind: Undoing['kind'], { status }: ImportRecord): void {
  if (kind === 'undo' && status === 'undone') showToast({ text: t.wasUndone(name) });
  if (kind === 'redo' && status === 'imported') showToast({ text: t.wasRestored(name) });
}

function reasonOf(error: unknown): string {
  return error instanceof ApiError && error.status === 410
    ? undoTexts.pruned
    : describeError(error);
}
