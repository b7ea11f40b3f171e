import { Component } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/states/empty-state.tsx';
import { shell as t } from '../texts/en/shell.ts';

interface FailureState {
  readonly error: Error | null;
}

/** Shows what went wrong in a screen, and leaves the rest of the page as it is. */
export class Failure extends Component<{ readonly children: ReactNode }, FailureState> {
  override state: FailureState = { error: null };

  /** Called by React with what was thrown. */
  static getDerivedStateFromError(error: Error): FailureState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <EmptyState icon="warning" title={t.failed} hint={t.failedHint}>
        <code role="alert">{error.message}</code>
        <Button onClick={() => location.reload()}>{t.reload}</Button>
      </EmptyState>
    );
  }
}
