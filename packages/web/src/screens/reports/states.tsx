import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { reportTexts as t } from '../../texts/en/reports.ts';
import { LoadFailure } from '../flow/loaded.tsx';
import type { Reading } from './data.ts';

/** Shows what was read; before that its outline, or why it could not be read. */
export function Read<T>(props: {
  readonly reading: Reading<T>;
  readonly children: (data: T) => ReactNode;
}): ReactElement {
  const { reading, children } = props;
  if (reading.state === 'read') return <>{children(reading.data)}</>;
  if (reading.state === 'loading') return <Outline />;
  return <LoadFailure error={reading.error} refetch={reading.retry} />;
}

/** The places of what is coming, so that nothing moves when it is there. */
function Outline(): ReactElement {
  return (
    <div className="stack" aria-busy="true">
      <div className="report-outline short" />
      <div className="report-outline tall" />
      <div className="report-outline tall" />
    </div>
  );
}

/** What a report says in a book without transactions. */
export function NoTransactions(): ReactElement {
  return (
    <EmptyState icon="reports" title={t.emptyTitle} hint={t.emptyHint}>
      <Link href="/import" className="button main">
        {t.toImport}
      </Link>
    </EmptyState>
  );
}
