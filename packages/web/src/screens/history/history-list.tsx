import { useEffect, useRef, useState, type ReactElement, type RefObject } from 'react';
import { Link, useSearchParams } from 'wouter';
import { describeError } from '../../api/errors.ts';
import {
  byDay,
  readChangeFilter,
  writeChangeFilter,
  actorKey,
  operationWords,
  type ChangeFilter,
} from '../../books/history/changes.ts';
import { dateAt, formatDate, clockTime } from '../../books/formats/dates.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { usePageKey } from '../../parts/page/page-keys.ts';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { Loading } from '../../parts/states/progress.tsx';
import { historyTexts as t } from '../../texts/en/history.ts';
import { useChanges } from './data.ts';
import { useChangeUndo, type ChangeUndoing } from './use-undo.tsx';
import type { HistoryEntry } from '../../api/types.ts';
import { actorName, sentenceOf } from './sentence.ts';
import { DateField } from '../../parts/fields/date-field.tsx';
import { SelectField, type SelectOption } from '../../parts/fields/select-field.tsx';
import { recordNames } from '../../texts/en/records.ts';

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

/** A change in the list. */
interface ChangeLineProps {
  readonly entry: HistoryEntry;
  readonly undoing: ChangeUndoing;
}

/** One change: when, what, who, and its undo. */
function ChangeLine({ entry, undoing }: ChangeLineProps): ReactElement {
  const { version, at, actor, undone_by, undoes } = entry;
  const preferences = usePreferences();
  const what = sentenceOf(entry);
  return (
    <article className={undone_by === null ? 'change' : 'change undone'}>
      <time dateTime={at}>{clockTime(at, preferences)}</time>
      <div className="change-what">
        <Link href={`/history/${version}`}>{what}</Link>
        <p className="hint fact-line">
          <span>{actorName(actor)}</span>
          <span>{t.version(version)}</span>
          {undoes !== null && <span>{t.undoes(undoes)}</span>}
          {undone_by !== null && <span className="kind-badge">{t.undoneBy(undone_by)}</span>}
        </p>
      </div>
      {undone_by === null && (
        <Button
          look="quiet"
          icon="undo"
          aria-label={t.undoOf(what, version)}
          disabled={undoing.isPending}
          onClick={() => undoing.undo(version, what)}
        />
      )}
    </article>
  );
}

/** The filters of the list, which are in the address of the page. */
interface ChangeFiltersProps {
  readonly filter: ChangeFilter;
  /** The changes that are loaded: they say who and what there is to choose. */
  readonly entries: readonly HistoryEntry[];
}

/** Chooses who, what, which records and which days are listed. */
function ChangeFilters({ filter, entries }: ChangeFiltersProps): ReactElement {
  const [, setSearch] = useSearchParams();
  const change = (part: Partial<ChangeFilter>): void =>
    setSearch(new URLSearchParams(writeChangeFilter({ ...filter, ...part })), { replace: true });
  const actors = entries.map(({ actor }) => ({ value: actorKey(actor), label: actorName(actor) }));
  const operations = entries.map(({ operation: value }) => ({
    value,
    label: operationWords(value),
  }));
  const records = Object.entries(recordNames).map(([value, { other }]) => ({
    value,
    label: other,
  }));
  const isFiltered = writeChangeFilter(filter) !== '';
  return (
    <fieldset className="history-filters">
      <legend className="hidden">{t.filters}</legend>
      <SelectField
        label={t.actor}
        value={filter.actor}
        options={withChosen(t.anyone, actors, filter.actor)}
        onChange={(actor) => change({ actor })}
      />
      <SelectField
        label={t.operation}
        value={filter.operation}
        options={withChosen(t.anything, operations, filter.operation)}
        onChange={(operation) => change({ operation })}
      />
      <SelectField
        label={t.record}
        value={filter.record}
        options={withChosen(t.allRecords, records, filter.record)}
        onChange={(record) => change({ record })}
      />
      <DateField label={t.from} date={filter.from} onDate={(from) => change({ from })} />
      <DateField label={t.to} date={filter.to} onDate={(to) => change({ to })} />
      {isFiltered && (
        <Button look="quiet" icon="close" onClick={() => setSearch({}, { replace: true })}>
          {t.clear}
        </Button>
      )}
    </fieldset>
  );
}

/** The choices without doubles, with one for all, and with the chosen one even if the list does not have it. */
function withChosen(all: string, choices: readonly SelectOption[], chosen: string): SelectOption[] {
  const byValue = new Map(choices.map((choice) => [choice.value, choice]));
  if (chosen !== '' && !byValue.has(chosen))
    byValue.set(chosen, { value: chosen, label: operationWords(chosen) });
  const sorted = [...byValue.values()].toSorted((a, b) => a.label.localeCompare(b.label));
  return [{ value: '', label: all }, ...sorted];
}
