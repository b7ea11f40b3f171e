import type { ReactElement, ReactNode } from 'react';
import { Button } from '../button.tsx';
import { Dialog } from './dialog.tsx';

/** A dialog before something that has effects. */
export interface ConfirmationProps {
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** What the button does, such as "Delete the account". */
  readonly confirmLabel: string;
  readonly cancelLabel: string;
  readonly isBusy?: boolean;
  /** Why the last attempt failed. */
  readonly problem?: string | null;
  readonly look?: 'main' | 'danger';
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Says what will happen, and does it or not. */
export function Confirmation(props: ConfirmationProps): ReactElement {
  const { title, children, confirmLabel, cancelLabel, onConfirm, onClose } = props;
  const { isBusy = false, problem = null, look = 'danger' } = props;
  return (
    <Dialog title={title} closeLabel={cancelLabel} onClose={onClose}>
      {children}
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <div className="actions end">
        <Button onClick={onClose}>{cancelLabel}</Button>
        <Button look={look} disabled={isBusy} onClick={onConfirm}>
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
