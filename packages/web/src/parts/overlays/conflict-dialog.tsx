import type { ReactElement } from 'react';
import { Button } from '../button.tsx';
import { Dialog } from './dialog.tsx';

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

/** The conflicts of an undo, and the ways on. */
export interface ConflictDialogProps {
  readonly title: string;
  readonly hint: string;
  readonly conflicts: readonly ShownConflict[];
  /** A sentence about conflicts that are not in the list; null when all are. */
  readonly more: string | null;
  readonly labels: { readonly skip: string; readonly cancel: string };
  /** Undoes the rest. */
  readonly onSkip: () => void;
  readonly onClose: () => void;
}

/** Says record by record why an undo was refused, and offers to keep these records and undo the rest. */
export function ConflictDialog(props: ConflictDialogProps): ReactElement {
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
