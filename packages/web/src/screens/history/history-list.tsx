import { useEffect, useRef, type ReactElement, type RefObject } from 'react';
import { Link, useSearchParams } from 'wouter';
import { describeError, ApiError } from '../../api/errors.ts';
import { dateAt, formatDate, clockTime } from '../../books/formats/dates.ts';
import {
  byDay,
  readChangeFilter,
  writeChangeFilter,
  actorKey,
  operationWords,
  describeCounts,
} from '../../books/history/changes.ts';
import type { ChangeFilter, RecordKind } from '../../books/history/changes.ts';
import type { ChangeUndo, HistoryEntry } from '../../books/types.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { DateField } from '../../parts/fields/date-field.tsx';
import { SelectField, type SelectOption } from '../../parts/fields/fields.tsx';
import { usePageKey } from '../../parts/keys.ts';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { usePreferences, useToday } from '../../parts/preferences.ts';
import { EmptyState, Loading } from '../../parts/states.tsx';
import { historyTexts as t } from '../../texts/en/history.ts';
import { recordNames, undoTexts } from '../../texts/en/undo.ts';
import { useConflicts } from '../flow/undo-conflicts.tsx';
import { useChanges, useUndo, type Order } from './data.ts';

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
  const today = useToday();
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
        <LinkButton href="/history" look="main" label={t.clear} />
      </EmptyState>
    );
  return (
    <EmptyState icon="history" title={t.empty} hint={t.emptyHint}>
      <LinkButton href="/import" look="main" label={t.toImport} />
    </EmptyState>
  );
}

type ChangeLineProps = Readonly<{ entry: HistoryEntry; undoing: ChangeUndoing }>;

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

/** Chooses who, what, which records and which days are listed. */
function ChangeFilters(props: {
  readonly filter: ChangeFilter;
  /** The changes that are loaded: they say who and what there is to choose. */
  readonly entries: readonly HistoryEntry[];
}): ReactElement {
  const { filter, entries } = props;
  const [, setSearch] = useSearchParams();
  const change = (part: Partial<ChangeFilter>): void =>
    setSearch(new URLSearchParams(writeChangeFilter({ ...filter, ...part })), { replace: true });
  const actors = entries.map(({ actor }) => ({ value: actorKey(actor), label: actorName(actor) }));
  const operations = entries.map(({ operation: value }) => ({
    value,
    label: operationWords(value),
  }));
  const records = Object.entries(recordNames).map(([value, { other }]) => ({
    value: value as RecordKind,
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
      <DateField label={t.from} value={filter.from} onChange={(from) => change({ from })} />
      <DateField label={t.to} value={filter.to} onChange={(to) => change({ to })} />
      {isFiltered && (
        <Button look="quiet" icon="close" onClick={() => setSearch({}, { replace: true })}>
          {t.clear}
        </Button>
      )}
    </fieldset>
  );
}

/** The choices without doubles, with one for all, and with the chosen one even if the list does not have it. */
function withChosen<Value extends string>(
  all: string,
  choices: readonly SelectOption<Value>[],
  chosen: Value | '',
): SelectOption<Value | ''>[] {
  const byValue = new Map(choices.map((choice) => [choice.value, choice]));
  if (chosen !== '' && !byValue.has(chosen))
    byValue.set(chosen, { value: chosen, label: operationWords(chosen) });
  const sorted = [...byValue.values()].toSorted((a, b) => a.label.localeCompare(b.label));
  return [{ value: '', label: all }, ...sorted];
}

/** How many kinds of records a line of the list names before it only counts them. */
const listed = 3;

/** What a change was, as a sentence of one line. */
export function sentenceOf({
  operation,
  counts,
}: Pick<HistoryEntry, 'operation' | 'counts'>): string {
  const counted = describeCounts(counts, t.counts, listed);
  // The operations of v1 are named after those of v2.
  const named = t.operations[operation.replace(/V1$/, '')];
  if (named !== undefined) return named(counted);
  if (counted === '') return operationWords(operation);
  return counted.charAt(0).toUpperCase() + counted.slice(1);
}

/** All that a change did, by kinds of records; null where its sentence says it already. */
export function countsOf(entry: Pick<HistoryEntry, 'operation' | 'counts'>): string | null {
  const counted = describeCounts(entry.counts, t.counts);
  const isSaid = sentenceOf(entry).toLowerCase().includes(counted.toLowerCase());
  return isSaid ? null : `${counted.charAt(0).toUpperCase()}${counted.slice(1)}.`;
}

/** Who made a change. */
export function actorName({ kind, name }: HistoryEntry['actor']): string {
  if (kind === 'command') return t.actors.command;
  if (kind === 'job') return t.actors.job;
  if (name === null) return t.actors.unnamed;
  return kind === 'token' ? t.actors.token(name) : name;
}

/** Undoes changes, with the messages about it and the decision about conflicts. */
export interface ChangeUndoing {
  /** Undoes a change; `what` names it in messages. */
  readonly undo: (version: Order['version'], what: string) => void;
  readonly isPending: boolean;
  /** The conflicts, while a person decides about them. */
  readonly dialog: ReactElement | null;
}

/** Returns what undoes changes. A message offers to redo. */
export function useChangeUndo(): ChangeUndoing {
  const { mutateAsync, isPending } = useUndo();
  const { attempt, dialog } = useConflicts();
  const undo: ChangeUndoing['undo'] = (version, what) =>
    attempt({
      reasonOf,
      undo: (conflicts) => mutateAsync({ version, conflicts }),
      onDone: (done) => report(done, what, (made) => undo(made, t.redo)),
    });
  return { isPending, undo, dialog };
}

function report(
  { version, conflicts }: ChangeUndo,
  what: string,
  redo: (version: number) => void,
): void {
  if (version === null) showToast({ text: t.undoUnderWay });
  else
    showToast({
      text:
        conflicts.length === 0
          ? t.wasUndone(what)
          : `${t.wasUndone(what)}. ${undoTexts.kept(conflicts.length)}`,
      action: { label: undoTexts.redo, run: () => redo(version) },
    });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) return describeError(error);
  if (error.status === 410) return undoTexts.pruned;
  if (error.status === 404) return t.nothingToUndo;
  const by = error.problems.map((problem) => (problem as { undone_by?: unknown }).undone_by);
  const [version] = by.filter((each) => typeof each === 'number');
  return version === undefined ? describeError(error) : undoTexts.undoneAlready(version);
}
