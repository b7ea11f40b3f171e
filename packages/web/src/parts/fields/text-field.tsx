import { useId } from 'react';
import type { ComponentPropsWithRef, ReactElement, ReactNode } from 'react';

/** An input of the platform with its label, a hint, and what is wrong with its text. */
export interface TextFieldProps extends ComponentPropsWithRef<'input'> {
  readonly label: string;
  /** The label is for screen readers only. */
  readonly isLabelHidden?: boolean;
  readonly hint?: ReactNode;
  /** A sentence; null when nothing is wrong. */
  readonly problem?: string | null;
  /** A button at the end of the field. */
  readonly after?: ReactNode;
}

/** A line of text with its label. */
export function TextField(props: TextFieldProps): ReactElement {
  const { label, isLabelHidden = false, hint, problem = null, className = '', ...others } = props;
  const { after, ...rest } = others;
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const problemId = problem === null ? undefined : `${id}-problem`;
  const described = [hintId, problemId].filter((each) => each !== undefined).join(' ');
  return (
    <div className={`field ${className}`}>
      <label className={isLabelHidden ? 'hidden' : 'label'} htmlFor={id}>
        {label}
      </label>
      <div className="input-line">
        <input
          className="input"
          {...rest}
          id={id}
          aria-invalid={problem === null ? undefined : true}
          aria-describedby={described === '' ? undefined : described}
        />
        {after}
      </div>
      {hint !== undefined && (
        <p className="hint" id={hintId}>
          {hint}
        </p>
      )}
      {problem !== null && (
        <p className="problem" id={problemId}>
          {problem}
        </p>
      )}
    </div>
  );
}
