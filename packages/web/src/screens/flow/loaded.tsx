import type { ReactElement, ReactNode } from 'react';
import { describeError } from '../../api/errors.ts';
import { Button } from '../../parts/button.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { EmptyState, Skeleton } from '../../parts/states.tsx';
import { partTexts as t } from '../../texts/en/parts.ts';

/** What is read: a query, or several of them together. */
export interface Reading<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** What is shown of something that is read. */
export interface LoadedProps<T> {
  readonly query: Reading<T>;
  /** How many lines take its place until it is there, or what does. */
  readonly lines?: number;
  readonly outline?: ReactNode;
  readonly children: (data: T) => ReactNode;
}

/** Shows what was read; lines in its place while it is read, and what failed with a button to try again. */
export function Loaded<T>(props: LoadedProps<T>): ReactElement {
  const { query, lines = 4, outline = <Skeleton lines={lines} />, children } = props;
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error !== null) return <LoadFailure {...query} />;
  return <>{outline}</>;
}

/** A screen whose records are read, or could not be. */
export function WaitingScreen(
  props: Omit<Reading<unknown>, 'data'> & { readonly title: string },
): ReactElement {
  const { title, error, refetch } = props;
  return (
    <>
      <PageHeader title={title} />
      {error === null ? <Skeleton lines={12} /> : <LoadFailure error={error} refetch={refetch} />}
    </>
  );
}

/** Says why something could not be read, and reads it again on request. */
export function LoadFailure({ error, refetch }: Omit<Reading<unknown>, 'data'>): ReactElement {
  return (
    <div role="alert">
      <EmptyState icon="warning" title={t.failed} hint={describeError(error)}>
        <Button look="main" onClick={() => void refetch()}>
          {t.retry}
        </Button>
      </EmptyState>
    </div>
  );
}
