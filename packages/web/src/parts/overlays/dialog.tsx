import { useId, useLayoutEffect, useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Button } from '../button.tsx';
import { partTexts } from '../../texts/en/parts.ts';

/** A dialog over the page. */
export interface DialogProps {
  readonly title: string;
  /** Called when Esc or the button closes it. */
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The label of the button that closes it; null for a dialog that cannot be closed. */
  readonly closeLabel?: string | null;
  /** `sheet` fills the bottom of a phone; `top` leaves room for a list below. */
  readonly look?: 'usual' | 'wide' | 'sheet' | 'top';
}

/**
 * A modal dialog of the platform: it keeps the focus, makes the page behind inert, and gives the focus back when it is
 * removed.
 */
export function Dialog(props: DialogProps): ReactElement {
  const { title, onClose, children, closeLabel = partTexts.close, look = 'usual' } = props;
  const titleId = useId();
  const element = useRef<HTMLDialogElement>(null);
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
      <Opener />
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

/**
 * Opens the dialog that it is in. As the first child it does so before what follows takes the focus, and closes the
 * dialog while it still is in the page.
 */
function Opener(): ReactElement {
  const element = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current?.closest('dialog');
    if (dialog?.open === false) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return <span ref={element} hidden />;
}
