import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { transactionsHref } from '../../books/filter/links.ts';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { reviewTexts as t } from '../../texts/en/review.ts';
import { LoadFailure } from '../flow/loaded.tsx';
import { useInbox } from './data.ts';
import { InboxList } from './inbox-list.tsx';

/** `/review`: the transactions that nobody has looked at, newest first. */
export function Review(): ReactElement {
  const inbox = useInbox();
  const { locale } = usePreferences();
  const { left, error, rows, isDone, bound } = inbox;
  return (
    <div className="review full">
      <PageHeader
        title={t.title}
        summary={<span role="status">{left === null ? ' ' : t.left(left, locale)}</span>}
      />
      {error !== null && rows.length === 0 ? (
        <LoadFailure error={error} refetch={inbox.reload} />
      ) : isDone ? (
        <Done bound={bound} />
      ) : (
        <InboxList inbox={inbox} />
      )}
    </div>
  );
}

function Done({ bound }: { readonly bound: number }): ReactElement {
  const { locale } = usePreferences();
  const hint = bound === 0 ? t.doneHint : t.bound(bound, locale);
  return (
    <EmptyState icon="check" title={t.doneTitle} hint={hint}>
      <Link href="/reports/spending?months=3" className="button main">
        {t.toSpending}
      </Link>
      <Link href="/import" className="button">
        {t.toImport}
      </Link>
      {bound > 0 && (
        <Link href={transactionsHref({ status: 'unreviewed' })} className="button">
          {t.toBound}
        </Link>
      )}
    </EmptyState>
  );
}
