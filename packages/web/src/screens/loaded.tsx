import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { describeError } from '../api/errors.ts';
import { Button } from '../parts/button.tsx';
import { Skeleton } from '../parts/states/skeleton.tsx';
import { ownChangesTexts as t } from '../texts/en/own-changes.ts';

/** What is shown of something that is read. */
export interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  /** How many lines take its place until it is there. */
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}

/** Shows what was read; lines in its place while it is read, and what failed with a button to try again. */
export function Loaded<T>({ query, lines = 4, children }: LoadedProps<T>): ReactElement {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError)
    return (
      <div className="failed" role="alert">
        <p>
          {t.failed}: {describeError(query.error)}
        </p>
        <Button onClick={() => void query.refetch()}>{t.retry}</Button>
      </div>
    );
  return <Skeleton label={t.loading} lines={lines} />;
}
