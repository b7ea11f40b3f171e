import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useAccounts } from '../../api/hooks.ts';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { overviewTexts as t } from '../../texts/en/overview.ts';
import { LoadFailure } from '../flow/loaded.tsx';
import { AccountsCard } from './accounts-card.tsx';
import { CategoriesCard } from './categories-card.tsx';
import { useScene } from './data.ts';
import { InboxCard } from './inbox-card.tsx';
import { NetWorthCard } from './net-worth-card.tsx';
import { SpendingCard } from './spending-card.tsx';
import { UpcomingCard } from './upcoming-card.tsx';

/** The first screen: how things are, what is next, and what waits. */
export function Overview(): ReactElement {
  return (
    <>
      <PageHeader title={t.title} />
      <Cards />
    </>
  );
}

function Cards(): ReactElement {
  const { scene, months } = useScene();
  const accounts = useAccounts();
  if (months.isError && scene === null) return <LoadFailure {...months} />;
  if (scene === null || accounts.isPending) return <Outline />;
  const count = (accounts.data?.manual.length ?? 0) + (accounts.data?.plaid.length ?? 0);
  if (!scene.hasTransactions && count === 0) return <Empty />;
  return (
    <div className="overview">
      <NetWorthCard {...scene} />
      <SpendingCard {...scene} />
      <InboxCard />
      <CategoriesCard {...scene} />
      <UpcomingCard {...scene} />
      <AccountsCard {...scene} />
    </div>
  );
}

function Outline(): ReactElement {
  return (
    <div className="overview" aria-busy="true">
      {['net-worth', 'spending', 'inbox', 'categories', 'upcoming', 'accounts'].map((name) => (
        <div key={name} className={`card overview-card ${name}`}>
          <div className="card-outline" />
        </div>
      ))}
    </div>
  );
}

function Empty(): ReactElement {
  return (
    <EmptyState icon="import" title={t.emptyTitle} hint={t.emptyHint}>
      <Link href="/import" className="button main">
        {t.toImport}
      </Link>
      <Link href="/accounts" className="button">
        {t.toAccounts}
      </Link>
    </EmptyState>
  );
}
