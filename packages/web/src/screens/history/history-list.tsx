import { useEffect, useRef, useState } from 'react';
import type { ReactElement, RefObject } from 'react';
import { Link, useSearchParams } from 'wouter';
import { describeError } from '../../api/errors.ts';
import { byDay, readChangeFilter, writeChangeFilter } from '../../books/history/changes.ts';
import { dateAt, formatDate } from '../../books/formats/dates.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { usePageKey } from '../../parts/page/page-keys.ts';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { Loading } from '../../parts/states/progress.tsx';
import { historyTexts as t } from '../../texts/en/history.ts';
import { ChangeFilters } from './change-filters.tsx';
import { ChangeLine } from './change-line.tsx';
import { useChanges } from './data.ts';
import { useChangeUndo } from './use-undo.tsx';

/** The changes of the book by day, the newest first. */
export function HistoryList(): ReactElement {
  const [search] = useSearchParams();
  const filter = readChangeFilter(search.toString());
  const isFiltered = writeChangeFilter(filter) !== '';
  const changes = useChanges(filter);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = changes;
  const undoing = useChangeUndo();
  const more = useMore(hasNextPage && !isFetchingNextPage, () => void fetchNextPage());
  usePageKey('u', undoing.isPending ? null : () => undoing.undo('last', t.lastOwn));
  const entries = (data?.pages ?? []).flatMap(({ history }) => history);
  const isEmpty = data !== undefined && entries.length === 0;
  return (
    <div className="history">
      <PageHeader title={t.title} summary={t.summary} />
      {(isFiltered || !isEmpty) && <ChangeFilters filter={filter} entries={entries} />}
      {error !== null && (
        <div className="notice" role="alert">
          <p>{describeError(error)}</p>
          <Button onClick={() => void refetch()}>{t.retry}</Button>
        </div>
      )}
      {changes.isPending && <Loading label={t.loading} />}
      {isEmpty && <NoChanges isFiltered={isFiltered} />}
      <Days entries={entries} undoing={undoing} />
      <div ref={more} className="actions history-more">
        {hasNextPage && (
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t.older}
          </Button>
        )}
        {!hasNextPage && entries.length > 0 && <p className="hint">{t.end}</p>}
      </div>
      {undoing.dialog}
    </div>
  );
}

function Days(props: {
  readonly entries: Parameters<typeof byDay<Parameters<typeof ChangeLine>[0]['entry']>>[0];
  readonly undoing: ReturnType<typeof useChangeUndo>;
}): ReactElement {
  const { entries, undoing } = props;
  const preferences = usePreferences();
  const [today] = useState(() => dateAt(Date.now()));
  return (
    <>
      {byDay(entries, dateAt).map(({ date, entries: some }) => (
        <section key={date} className="history-day" aria-labelledby={`day-${date}`}>
          <h2 id={`day-${date}`}>
            {date === today ? t.today : formatDate(date, 'medium', preferences)}
          </h2>
          <ol className="card">
            {some.map((entry) => (
              <li key={entry.version}>
                <ChangeLine entry={entry} undoing={undoing} />
              </li>
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

/** Reads older changes when the end of the list comes into sight. */
function useMore(isOn: boolean, load: () => void): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  const latest = useRef(load);
  useEffect(() => {
    latest.current = load;
  });
  useEffect(() => {
    const element = end.current;
    if (element === null || !isOn) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        // At the very beginning nothing was scrolled yet: the button is enough.
        if (entry?.isIntersecting === true && scrollY > 0) latest.current();
      },
      { rootMargin: '200px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isOn]);
  return end;
}

function NoChanges({ isFiltered }: { readonly isFiltered: boolean }): ReactElement {
  if (isFiltered)
    return (
      <EmptyState icon="filter" title={t.noMatch}>
        <Link href="/history" className="button main">
          {t.clear}
        </Link>
      </EmptyState>
    );
  return (
    <EmptyState icon="history" title={t.empty} hint={t.emptyHint}>
      <Link href="/import" className="button main">
        {t.toImport}
      </Link>
    </EmptyState>
  );
}
