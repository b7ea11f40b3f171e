import type { ReactElement } from 'react';
import type { UndoConflict } from '../../api/types.ts';
import { describeConflict } from '../../books/history/conflicts.ts';
import { ConflictDialog } from '../../parts/overlays/conflict-dialog.tsx';
import { recordNames } from '../../texts/en/records.ts';
import { undoTexts } from '../../texts/en/undo.ts';

const mostShown = 100;

/** The conflicts of an undo that was refused. */
export interface UndoConflictsProps {
  readonly conflicts: readonly UndoConflict[];
  /** Undoes what has no conflict. */
  readonly onSkip: () => void;
  readonly onClose: () => void;
}

/** Says which records an undo would harm, and offers to undo the rest; nothing without a conflict. */
export function UndoConflicts(props: UndoConflictsProps): ReactElement | null {
  const { conflicts, onSkip, onClose } = props;
  const hidden = conflicts.length - mostShown;
  if (conflicts.length === 0) return null;
  return (
    <ConflictDialog
      title={undoTexts.conflicts}
      hint={undoTexts.conflictsHint}
      labels={undoTexts}
      conflicts={conflicts
        .slice(0, mostShown)
        .map((each) => describeConflict(each, { ...undoTexts, records: recordNames }))}
      more={hidden > 0 ? undoTexts.moreConflicts(hidden) : null}
      onClose={onClose}
      onSkip={onSkip}
    />
  );
}
