import type { ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** What a screen shows when it has nothing to show. */
export interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  /** What to do next. */
  readonly hint?: ReactNode;
  /** Buttons or links. */
  readonly children?: ReactNode;
}

/** Says what is missing, and what to do next. */
export function EmptyState({ icon, title, hint, children }: EmptyStateProps): ReactElement {
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {hint !== undefined && <p>{hint}</p>}
      {children !== undefined && <div className="actions">{children}</div>}
    </div>
  );
}

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

/** Lines in the place of what is being loaded, with a text for screen readers. */
export function Skeleton(props: { readonly label: string; readonly lines: number }): ReactElement {
  const { label, lines } = props;
  return (
    <div className="skeleton" role="status" aria-busy="true">
      <span className="hidden">{label}</span>
      {Array.from({ length: lines }, (_each, line) => (
        <span key={line} className="skeleton-line" />
      ))}
    </div>
  );
}
