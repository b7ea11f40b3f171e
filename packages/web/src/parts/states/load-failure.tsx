import type { ReactElement } from 'react';
import { Button } from '../button.tsx';
import { EmptyState } from './empty-state.tsx';

/** What a screen shows in place of data that could not be loaded. */
export interface LoadFailureProps {
  readonly title: string;
  /** What happened. */
  readonly reason: string;
  readonly retryLabel: string;
  readonly onRetry: () => void;
}

/** Says what could not be loaded, and loads it again on request. */
export function LoadFailure(props: LoadFailureProps): ReactElement {
  const { title, reason, retryLabel, onRetry } = props;
  return (
    <div role="alert">
      <EmptyState icon="warning" title={title} hint={reason}>
        <Button onClick={onRetry}>{retryLabel}</Button>
      </EmptyState>
    </div>
  );
}
