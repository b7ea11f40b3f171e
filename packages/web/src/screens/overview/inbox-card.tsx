import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useMonths } from '../../api/reports.ts';
import { formatTime } from '../../books/formats/dates.ts';
import { transactionsHref } from '../../books/filter/links.ts';
import { Icon } from '../../parts/icon.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { overviewTexts as t } from '../../texts/en/overview.ts';
import { wholeNumber } from '../../texts/plural.ts';
import { Card } from './card.tsx';
import { useLastImport } from './data.ts';

/** What waits for review, and when the last file was imported. */
export function InboxCard(): ReactElement {
  const waiting = useMonths({ status: 'unreviewed' });
  const count = waiting.data?.count;
  return (
    <Card name="inbox" title={t.review} query={waiting}>
      {count === undefined ? null : (
        <>
          {count === 0 ? (
            <p className="all-reviewed">
              <Icon name="check" />
              {t.allReviewed}
            </p>
          ) : (
            <>
              <p className="figure">
                <Link href={transactionsHref({ status: 'unreviewed' })} data-figure="waiting">
                  {wholeNumber(count)}
                </Link>
              </p>
              <p>
                <Link href="/review" className="button main">
                  {t.toReview}
                </Link>
              </p>
            </>
          )}
          <LastImport />
        </>
      )}
    </Card>
  );
}

function LastImport(): ReactElement | null {
  const preferences = usePreferences();
  const { data } = useLastImport();
  if (data === undefined) return null;
  return (
    <div className="last-import">
      <h3>{t.lastImport}</h3>
      {data === null ? (
        <p className="hint">
          {t.noImport} <Link href="/import">{t.toImport}</Link>
        </p>
      ) : (
        <p className="hint">
          <Link href={transactionsHref({ importId: data.id })}>
            <bdi>{data.file_name ?? t.importOf(data.imported)}</bdi>
          </Link>{' '}
          {formatTime(data.created_at, preferences)} · {t.importOf(data.imported)}
        </p>
      )}
    </div>
  );
}
