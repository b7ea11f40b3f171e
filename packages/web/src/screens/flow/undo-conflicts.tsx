import { useState, type ReactElement } from 'react';
import { conflictsOf } from '../../api/undo.ts';
import { describeConflict } from '../../books/history/conflicts.ts';
import type { UndoConflict } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { recordNames, undoTexts as t } from '../../texts/en/undo.ts';

const mostShown = 100;

/** An undo that may be refused because of later changes. */
export interface Attempt<Done> {
  /** Undoes; with `skip` all but the records that were changed since. */
  readonly undo: (conflicts?: 'skip') => Promise<Done>;
  /** False if it cannot leave records as they are. */
  readonly canSkip?: boolean;
  readonly onDone: (done: Done) => void;
  /** Says why an undo failed that met no conflict. */
  readonly reasonOf: (error: unknown) => string;
}

/** Undoes, shows what failed, and lets a person decide about conflicts: `dialog` belongs on the screen. */
export function useConflicts(): {
  readonly attempt: <Done>(attempted: Attempt<Done>, conflicts?: 'skip') => void;
  readonly dialog: ReactElement | null;
} {
  const [met, setMet] = useState<Parameters<typeof UndoConflicts>[0] | null>(null);
  const attempt = <Done,>(attempted: Attempt<Done>, how?: 'skip'): void => {
    const { undo, canSkip = true, onDone, reasonOf } = attempted;
    const onClose = (): void => setMet(null);
    // Not by the callbacks of `mutate`, which are lost when the screen is left before the response.
    void undo(how).then(onDone, (error: unknown) => {
      const conflicts = conflictsOf(error);
      const skip = (): void => {
        onClose();
        attempt(attempted, 'skip');
      };
      if (conflicts.length === 0) showToast({ text: reasonOf(error), look: 'problem' });
      else if (how === 'skip') showToast({ text: t.nothingLeft, look: 'problem' });
      else setMet({ conflicts, onClose, onSkip: canSkip ? skip : null });
    });
  };
  return { attempt, dialog: met && <UndoConflicts {...met} /> };
}

/**
 * Says record by record why an undo was refused, and offers to keep these records and undo the rest; nothing without a
 * conflict.
 */
export function UndoConflicts(props: {
  readonly conflicts: readonly UndoConflict[];
  /** Undoes what has no conflict; null where that is not possible. */
  readonly onSkip: (() => void) | null;
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
        {onSkip !== null && (
          <Button look="main" autoFocus onClick={onSkip}>
            {t.skip}
          </Button>
        )}
        <Button autoFocus={onSkip === null} onClick={onClose}>
          {t.cancel}
        </Button>
      </div>
    </Dialog>
  );
}
