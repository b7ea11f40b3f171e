import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { overviewTexts as t } from '../../texts/en/overview.ts';

/** The first screen. */
export function Overview(): ReactElement {
  return (
    <>
      <PageHeader title={t.title} />
      <EmptyState icon="overview" title={t.title} hint={t.hint}>
        <Link href="/transactions" className="button main">
          {t.toTransactions}
        </Link>
      </EmptyState>
    </>
  );
}
