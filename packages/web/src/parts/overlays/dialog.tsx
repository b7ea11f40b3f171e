import { useId, useLayoutEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { partTexts } from '../../texts/en/parts.ts';
import { Button, type ButtonProps } from '../button.tsx';

/**
 * A modal dialog of the platform: it keeps the focus, makes the page behind inert, and gives the focus back when it is
 * removed.
 */
export function Dialog(props: {
  readonly title: string;
  /** Called when Esc or the button closes it. */
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The label of the button that closes it; null for a dialog that cannot be closed. */
  readonly closeLabel?: string | null;
  /** `sheet` fills the bottom of a phone; `top` leaves room for a list below. */
  readonly look?: 'usual' | 'wide' | 'sheet' | 'top';
}): ReactElement {
  const { title, onClose, children, closeLabel = partTexts.close, look = 'usual' } = props;
  const titleId = useId();
  const element = useRef<HTMLDialogElement>(null);
  const leave = (): void => {
    if (closeLabel !== null) onClose();
  };
  return (
    <dialog
      ref={element}
      className={`dialog ${look}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (!event.cancelable) return;
        event.preventDefault();
        leave();
      }}
      onClose={({ currentTarget }) => {
        // After a second Esc it is closed already, and cannot be kept open.
        if (currentTarget.open || !currentTarget.isConnected) return;
        currentTarget.showModal();
        leave();
      }}
      onClick={(event) => {
        if (event.target === element.current) leave();
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

/** A button that opens a dialog. */
export function OpenButton(
  props: ButtonProps & { readonly dialog: (close: () => void) => ReactElement },
): ReactElement {
  const { dialog, ...button } = props;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setIsOpen(true)} />
      {isOpen && dialog(() => setIsOpen(false))}
    </>
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

const gapPx = 4;
const leastHeightPx = 160;
const mostHeightPx = 320;

/** Places a list of the top layer below what it belongs to, or above it where there is more room. */
export function placeBelow(list: HTMLElement, anchor: DOMRect): void {
  const below = innerHeight - anchor.bottom - 2 * gapPx;
  const isAbove = below < leastHeightPx && anchor.top > below;
  const { style } = list;
  style.minWidth = `${anchor.width}px`;
  style.left = `${Math.max(gapPx, Math.min(anchor.left, innerWidth - list.offsetWidth - gapPx))}px`;
  style.maxHeight = `${Math.min(isAbove ? anchor.top - 2 * gapPx : below, mostHeightPx)}px`;
  if (isAbove) style.bottom = `${innerHeight - anchor.top + gapPx}px`;
  else style.top = `${anchor.bottom + gapPx}px`;
}
