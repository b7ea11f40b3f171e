import { useEffect, useId, useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Button } from './button.tsx';

/** A dialog over the page. */
export interface DialogProps {
  readonly title: string;
  /** Called when Esc or the button closes it. */
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The label of the button that closes it; null for a dialog that cannot be closed. */
  readonly closeLabel?: string | null;
  /** `sheet` fills the bottom of a phone. */
  readonly look?: 'usual' | 'wide' | 'sheet';
}

/**
 * A modal dialog of the platform: it keeps the focus, makes the page behind inert, and gives the focus back when it is
 * removed.
 */
export function Dialog(props: DialogProps): ReactElement {
  const { title, onClose, children, closeLabel = 'Close', look = 'usual' } = props;
  const titleId = useId();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    if (dialog !== null && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={`dialog ${look}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (closeLabel !== null) onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current && closeLabel !== null) onClose();
      }}
    >
      <div className="dialog-body">
        <header className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          {closeLabel !== null && (
            <Button look="quiet" icon="close" aria-label={closeLabel} onClick={onClose} />
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}
