import { useState, type ReactElement, type ReactNode } from 'react';
import { describeError } from '../../api/errors.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { ownChangesTexts as t } from '../../texts/en/parts.ts';

/** The state of a form that is sent to the server. */
export interface Submitting {
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

/** A form that is sent to the server. */
export interface SubmitFormProps {
  /** What the button does. */
  readonly label?: string;
  /** False while what is filled in is not complete. */
  readonly canSubmit?: boolean;
  readonly work: () => Promise<unknown>;
  /** The fields. */
  readonly children: ReactNode;
}

/** A form with its button. Why the last attempt failed is said above the button, and what was typed stays. */
export function SubmitForm(props: SubmitFormProps): ReactElement {
  const { label = t.save, canSubmit = true, work, children } = props;
  const { problem, isBusy, submit } = useSubmitting();
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(work);
      }}
    >
      {children}
      <NotDone problem={problem} />
      <div className="actions end">
        <Button type="submit" look="main" disabled={isBusy || !canSubmit}>
          {label}
        </Button>
      </div>
    </form>
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

/** Something that has effects, which a person confirms before. */
export interface ConfirmedProps extends Pick<
  ConfirmationProps,
  'title' | 'children' | 'confirmLabel' | 'look' | 'onClose'
> {
  /** False while a choice is missing. */
  readonly canConfirm?: boolean;
  readonly work: () => Promise<unknown>;
}

/** Says what will happen, and does it or not. What fails is said in the dialog. */
export function Confirmed({ canConfirm = true, work, ...rest }: ConfirmedProps): ReactElement {
  const { problem, isBusy, submit } = useSubmitting();
  return (
    <Confirmation
      {...rest}
      cancelLabel={t.cancel}
      problem={problem}
      isBusy={isBusy || !canConfirm}
      onConfirm={() => void submit(work)}
    />
  );
}

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
