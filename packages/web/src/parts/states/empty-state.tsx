import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';

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
