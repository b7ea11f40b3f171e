import { useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { describeError, isProved } from '../../api/errors.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { partTexts as t } from '../../texts/en/parts.ts';

/** The state of a form that is sent to the server. */
interface Submitting {
  /** What the last attempt failed with; null when nothing is wrong. */
  readonly error: unknown;
  /** The same in words. */
  readonly problem: string | null;
  readonly isBusy: boolean;
  /** Does the work. What fails is shown as the problem, and what was typed stays. */
  readonly submit: (work: () => unknown) => Promise<void>;
}

/** Sends a form, one attempt at a time. */
export function useSubmitting(): Submitting {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (work: () => unknown): Promise<void> => {
    setIsBusy(true);
    setError(null);
    try {
      await work();
    } catch (failure) {
      setError(failure);
    } finally {
      setIsBusy(false);
    }
  };
  return { error, problem: error === null ? null : describeError(error), isBusy, submit };
}

/** Why the last attempt failed. */
export function NotDone({ problem }: { readonly problem: string | null }): ReactElement | null {
  if (problem === null) return null;
  return (
    <p className="problem" role="alert">
      {t.notDone}: {problem}
    </p>
  );
}

/**
 * Says what will happen, and does it, which closes the dialog, or not. What fails is said in the dialog. Where a proved
 * balance depends on it, it asks once more.
 *
 * The focus is on what Enter may do unseen: on Cancel for a deletion, else on what was asked for, once it can be done.
 */
export function Confirmed(props: {
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** What the button does, such as "Delete the account". */
  readonly confirmLabel: string;
  readonly look?: 'main' | 'danger';
  /** False while a choice is missing. */
  readonly canConfirm?: boolean;
  /** Does it; with `force` if it was asked once more. */
  readonly work: (force: boolean) => unknown;
  readonly onClose: () => void;
}): ReactElement {
  const { title, children, confirmLabel, look = 'danger', canConfirm = true, onClose } = props;
  const { error, problem, isBusy, submit } = useSubmitting();
  const isAsked = isProved(error);
  const confirm = useRef<HTMLButtonElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const isSafe = look === 'main' && canConfirm;
  useEffect(() => {
    const dialog = confirm.current?.closest('dialog');
    const first = dialog?.querySelector<HTMLElement>('input, select, textarea');
    // A field keeps it.
    if (document.activeElement?.matches('dialog button') === true)
      (first ?? (isSafe ? confirm : cancel).current)?.focus();
  }, [isSafe]);
  return (
    <Dialog title={title} closeLabel={t.cancel} onClose={onClose}>
      {children}
      {problem !== null && (
        <p className="problem" role="alert">
          {isAsked ? t.proved : problem}
        </p>
      )}
      <div className="actions end">
        <Button ref={cancel} onClick={onClose}>
          {t.cancel}
        </Button>
        <Button
          ref={confirm}
          look={look}
          disabled={isBusy || !canConfirm}
          onClick={() =>
            void submit(async () => {
              await props.work(isAsked);
              onClose();
            })
          }
        >
          {isAsked ? t.anyway : confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
