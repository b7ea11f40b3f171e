import { useState, type ReactElement, type ReactNode } from 'react';
import { describeError } from '../../api/errors.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { partTexts as t } from '../../texts/en/parts.ts';

/** The state of a form that is sent to the server. */
interface Submitting {
  /** Why the last attempt failed; null when nothing is wrong. */
  readonly problem: string | null;
  readonly isBusy: boolean;
  /** Does the work. What fails is shown as the problem, and what was typed stays. */
  readonly submit: (work: () => Promise<unknown>) => Promise<void>;
}

/** Sends a form, one attempt at a time. */
export function useSubmitting(): Submitting {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (work: () => Promise<unknown>): Promise<void> => {
    setIsBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(describeError(error));
    } finally {
      setIsBusy(false);
    }
  };
  return { problem, isBusy, submit };
}

/**
 * A dialog with a form that is sent to the server. Why the last attempt failed is said above the button, and what was
 * typed stays. `work` closes the dialog.
 */
export function FormDialog(props: {
  readonly title: string;
  readonly look?: 'sheet';
  /** What the button does. */
  readonly label?: string;
  /** False while what is filled in is not complete. */
  readonly canSubmit?: boolean;
  readonly work: () => Promise<unknown>;
  readonly onClose: () => void;
  /** What is said above the form. */
  readonly intro?: ReactNode;
  /** The fields. */
  readonly children: ReactNode;
}): ReactElement {
  const { title, look = 'usual', label = t.save, canSubmit = true, work, onClose } = props;
  const { problem, isBusy, submit } = useSubmitting();
  return (
    <Dialog title={title} look={look} onClose={onClose}>
      {props.intro}
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(work);
        }}
      >
        {props.children}
        <NotDone problem={problem} />
        <div className="actions end">
          <Button type="submit" look="main" disabled={isBusy || !canSubmit}>
            {label}
          </Button>
        </div>
      </form>
    </Dialog>
  );
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

/** Says what will happen, and does it or not. What fails is said in the dialog. */
export function Confirmed(props: {
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** What the button does, such as "Delete the account". */
  readonly confirmLabel: string;
  readonly look?: 'main' | 'danger';
  /** False while a choice is missing. */
  readonly canConfirm?: boolean;
  readonly work: () => Promise<unknown>;
  readonly onClose: () => void;
}): ReactElement {
  const { title, children, confirmLabel, look = 'danger', canConfirm = true, onClose } = props;
  const { problem, isBusy, submit } = useSubmitting();
  return (
    <Dialog title={title} closeLabel={t.cancel} onClose={onClose}>
      {children}
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <div className="actions end">
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button
          look={look}
          disabled={isBusy || !canConfirm}
          onClick={() => void submit(props.work)}
        >
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
