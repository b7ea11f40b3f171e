import type { ReactElement } from 'react';
import type { UndoConflict } from '../../api/types.ts';
import { describeConflict } from '../../books/history/conflicts.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { recordNames, undoTexts } from '../../texts/en/undo.ts';

const mostShown = 100;

/** Says which records an undo would harm, and offers to undo the rest; nothing without a conflict. */
export function UndoConflicts(props: {
  readonly conflicts: readonly UndoConflict[];
  /** Undoes what has no conflict. */
  readonly onSkip: () => void;
  readonly onClose: () => void;
}): ReactElement | null {
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

/** A record that an undo would harm. */
export interface ShownConflict {
  readonly key: string;
  /** Such as `Transaction 12`. */
  readonly record: string;
  /** A sentence: what happened to it. */
  readonly reason: string;
  /** What else stays because of it; null for nothing. */
  readonly blocked: string | null;
}

/** Says record by record why an undo was refused, and offers to keep these records and undo the rest. */
export function ConflictDialog(props: {
  readonly title: string;
  readonly hint: string;
  readonly conflicts: readonly ShownConflict[];
  /** A sentence about conflicts that are not in the list; null when all are. */
  readonly more: string | null;
  readonly labels: { readonly skip: string; readonly cancel: string };
  /** Undoes the rest. */
  readonly onSkip: () => void;
  readonly onClose: () => void;
}): ReactElement {
  const { title, hint, conflicts, more, labels, onSkip, onClose } = props;
  return (
    <Dialog title={title} look="wide" closeLabel={labels.cancel} onClose={onClose}>
      <p>{hint}</p>
      <ul className="conflicts" tabIndex={0} aria-label={title}>
        {conflicts.map(({ key, record, reason, blocked }) => (
          <li key={key}>
            <strong>{record}</strong>
            <span>{reason}</span>
            {blocked !== null && <span className="hint">{blocked}</span>}
          </li>
        ))}
      </ul>
      {more !== null && <p className="hint">{more}</p>}
      <div className="actions">
        <Button look="main" onClick={onSkip}>
          {labels.skip}
        </Button>
        <Button onClick={onClose}>{labels.cancel}</Button>
      </div>
    </Dialog>
  );
}
