import type { ReactElement } from 'react';
import { Link, Redirect, useParams } from 'wouter';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { reportTexts as t } from '../../texts/en/reports.ts';
import { FlowReport } from './flow.tsx';
import { NetWorthReport } from './net-worth.tsx';
import { SpendingReport } from './spending.tsx';

const reports = {
  spending: SpendingReport,
  'net-worth': NetWorthReport,
  flow: FlowReport,
} as const;
type Kind = keyof typeof reports;
const kinds = Object.keys(reports) as Kind[];

/** The reports: one at a time, chosen by the address. */
export function Reports(): ReactElement {
  const { kind } = useParams<{ readonly kind?: string }>();
  const shown = kinds.find((each) => each === kind);
  if (shown === undefined) return <Redirect to="/reports/spending" replace />;
  const Report = reports[shown];
  return (
    <>
      <PageHeader title={t.titles[shown]}>
        <nav className="report-tabs" aria-label={t.choose}>
          {kinds.map((each) => (
            <Link
              key={each}
              href={`/reports/${each}`}
              aria-current={each === shown ? 'page' : undefined}
            >
              {t.tabs[each]}
            </Link>
          ))}
        </nav>
      </PageHeader>
      <Report />
    </>
  );
}
