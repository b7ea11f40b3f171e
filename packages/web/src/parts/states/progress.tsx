import type { ReactElement } from 'react';

/** How far some work is. */
export interface ProgressProps {
  readonly label: string;
  /** From 0 to 1; undefined when it is not known. */
  readonly value?: number;
}

/** A bar for work that takes longer than a moment. */
export function Progress({ label, value }: ProgressProps): ReactElement {
  return (
    <div className="progress">
      <progress aria-label={label} max={1} value={value} />
      <span>{label}</span>
    </div>
  );
}

/** Waiting for a part of the page, with a text for screen readers. */
export function Loading({ label }: { readonly label: string }): ReactElement {
  return (
    <div className="loading" role="status">
      <span className="hidden">{label}</span>
    </div>
  );
}
