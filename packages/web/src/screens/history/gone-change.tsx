import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { ApiError, describeError } from '../../api/errors.ts';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { historyTexts as t } from '../../texts/en/history.ts';

/** A change that does not exist, or that the history no longer has, and why. */
export function GoneChange({ error }: { readonly error: Error | null }): ReactElement {
  const status = error instanceof ApiError ? error.status : 404;
  const [title, hint] =
    status === 410
      ? [t.pruned, t.prunedHint(oldestOf(error))]
      : [t.gone, status === 404 ? t.goneHint : describeError(error)];
  return (
    <>
      <PageHeader title={t.title} />
      <EmptyState icon="history" title={title} hint={hint}>
        <Link href="/history" className="button main">
          {t.back}
        </Link>
      </EmptyState>
    </>
  );
}

function oldestOf(error: unknown): number | null {
  if (!(error instanceof ApiError)) return null;
  for (const problem of error.problems) {
    const { oldest_version: oldest } = problem as { oldest_version?: unknown };
    if (typeof oldest === 'number') return oldest;
  }
  return null;
}
