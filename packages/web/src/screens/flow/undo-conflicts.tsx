import type { ReactElement } from 'react';
import { describeConflict } from '../../books/history/conflicts.ts';
import type { UndoConflict } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { recordNames, undoTexts as t } from '../../texts/en/undo.ts';

const mostShown = 100;

/**
 * Says record by record why an undo was refused, and offers to keep these records and undo the rest; nothing without a
 * conflict.
 */
export function UndoConflicts(props: {
  readonly conflicts: readonly UndoConflict[];
  /** Undoes what has no conflict. */
  readonly onSkip: () => void;
  readonly onClose: () => void;
}): ReactElement | null {
  const { conflicts, onSkip, onClose } = props;
  const hidden = conflicts.length - mostShown;
  if (conflicts.length === 0) return null;
  const shown = conflicts
    .slice(0, mostShown)
    .map((each) => describeConflict(each, { ...t, records: recordNames }));
  return (
    <Dialog title={t.conflicts} look="wide" closeLabel={t.cancel} onClose={onClose}>
      <p>{t.conflictsHint}</p>
      <ul className="conflicts" tabIndex={0} aria-label={t.conflicts}>
        {shown.map(({ key, record, reason, blocked }) => (
          <li key={key}>
            <strong>{record}</strong>
            <span>{reason}</span>
            {blocked !== null && <span className="hint">{blocked}</span>}
          </li>
        ))}
      </ul>
      {hidden > 0 && <p className="hint">{t.moreConflicts(hidden)}</p>}
      <div className="actions">
        <Button look="main" onClick={onSkip}>
          {t.skip}
        </Button>
        <Button onClick={onClose}>{t.cancel}</Button>
      </div>
    </Dialog>
  );
}
