import type { ReactElement, ReactNode } from 'react';
import { useParams, useSearchParams, Link } from 'wouter';
import { ApiError, describeError } from '../../api/errors.ts';
import { formatDate, formatTime } from '../../books/formats/dates.ts';
import { titleOf, fieldsOf, type RecordChange } from '../../books/history/changes.ts';
import type { HistoryRecord, HistoryVersion } from '../../books/types.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { usePageKey } from '../../parts/keys.ts';
import { Table } from '../../parts/lists/table.tsx';
import { Money } from '../../parts/money.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { EmptyState, Loading } from '../../parts/states.tsx';
import { historyTexts as t } from '../../texts/en/history.ts';
import { recordNames } from '../../texts/en/undo.ts';
import { useNames } from '../flow/names.ts';
import { useChange, useEarlier } from './data.ts';
import { HistoryList, actorName, countsOf, sentenceOf, useChangeUndo } from './history-list.tsx';

/** Every change of the book, one of them with its records, and the book as it was. */
export function History(): ReactElement {
  const { version } = useParams<{ readonly version?: string }>();
  const [search] = useSearchParams();
  if (version === undefined) return <HistoryList />;
  if (!/^[1-9]\d{0,14}$/.test(version)) return <GoneChange error={null} />;
  if (search.get('view') === 'book')
    return <EarlierState key={version} version={Number(version)} />;
  return <OneChange key={version} version={Number(version)} />;
}

/** The transactions of the book as they were after a change. */
function EarlierState({ version }: { readonly version: number }): ReactElement {
  const [search, setSearch] = useSearchParams();
  const page = Math.max(0, Math.trunc(Number(search.get('page') ?? 0)) || 0);
  const { data, error } = useEarlier(version, page);
  const change = useChange(version).data?.pages[0];
  const { categoryOf } = useNames();
  const preferences = usePreferences();
  if (error !== null) return <GoneChange error={error} />;
  const go = (to: number): void => setSearch({ view: 'book', page: String(to) });
  return (
    <div className="history">
      <PageHeader
        title={t.stateTitle(version)}
        {...(change !== undefined && { summary: t.stateHint(formatTime(change.at, preferences)) })}
      >
        <LinkButton href={`/history/${version}`} label={t.versionTitle(version)} />
        <LinkButton href="/history" label={t.back} />
      </PageHeader>
      {data === undefined && <Loading label={t.loading} />}
      {data?.transactions.length === 0 && <EmptyState icon="history" title={t.stateEmpty} />}
      {data !== undefined && data.transactions.length > 0 && (
        <Table
          label={t.stateTitle(version)}
          rows={data.transactions}
          rowKey={({ id }) => id}
          columns={[
            { title: t.columns.date, cell: ({ date }) => formatDate(date, 'medium', preferences) },
            { title: t.columns.payee, isHeading: true, cell: ({ payee }) => payee },
            { title: t.columns.category, cell: categoryOf },
            {
              title: t.columns.amount,
              align: 'end',
              cell: ({ amount, currency }) => (
                <Money amount={amount} currency={currency} sign="debit" />
              ),
            },
          ]}
        />
      )}
      <div className="actions">
        {page > 0 && <Button onClick={() => go(page - 1)}>{t.newer}</Button>}
        {data?.has_more === true && <Button onClick={() => go(page + 1)}>{t.olderPage}</Button>}
      </div>
    </div>
  );
}

/** One change, with its records before and after. */
function OneChange({ version }: { readonly version: number }): ReactElement {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useChange(version);
  if (data === undefined)
    return error === null ? <Loading label={t.loading} /> : <GoneChange error={error} />;
  const [entry] = data.pages;
  const records = data.pages.flatMap((page) => page.records);
  if (entry === undefined) return <GoneChange error={null} />;
  const counts = countsOf(entry);
  return (
    <div className="history">
      <ChangeHead entry={entry} />
      <section className="stack" aria-labelledby="records-title">
        <div>
          <h2 id="records-title">{t.records}</h2>
          {counts !== null && <p className="hint">{counts}</p>}
        </div>
        {records.length === 0 && <p className="hint">{t.noRecords}</p>}
        <ul className="stack">
          {records.map((record) => (
            <li key={keyOf(record)} className="card changed-record">
              <ChangedRecord record={record} />
            </li>
          ))}
        </ul>
        {hasNextPage && (
          <div className="actions">
            <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t.moreRecords}
            </Button>
          </div>
        )}
      </section>
    </div>
  );
}

function ChangeHead({ entry }: { readonly entry: HistoryVersion }): ReactElement {
  const { version, at, actor, undone_by, undoes } = entry;
  const preferences = usePreferences();
  const undoing = useChangeUndo();
  const what = sentenceOf(entry);
  const run = (): void => undoing.undo(version, what);
  const isOn = undone_by === null && !undoing.isPending;
  usePageKey('u', isOn ? run : null);
  return (
    <>
      <PageHeader
        title={what}
        summary={
          <span className="fact-line">
            <span>{formatTime(at, preferences)}</span>
            <span>{t.by(actorName(actor))}</span>
            <span>{t.version(version)}</span>
            {undoes !== null && <Link href={`/history/${undoes}`}>{t.undoes(undoes)}</Link>}
            {undone_by !== null && (
              <Link href={`/history/${undone_by}`}>{t.undoneBy(undone_by)}</Link>
            )}
          </span>
        }
      >
        <LinkButton href="/history" label={t.back} />
        <Link href={`/history/${version}?view=book`} className="button">
          <Icon name="history" />
          {t.state}
        </Link>
        {undone_by === null && (
          <Button look="main" icon="undo" disabled={!isOn} onClick={run}>
            {t.undo}
          </Button>
        )}
      </PageHeader>
      {undoing.dialog}
    </>
  );
}

function ChangedRecord({ record }: { readonly record: HistoryRecord }): ReactElement {
  const { record: name, id, kind } = record;
  const title = titleOf(record);
  return (
    <article>
      <h3>
        <span className={`kind-badge ${kind}`}>{t.kinds[kind]}</span>{' '}
        {recordNames[name]?.one ?? name} {id}
        {title !== null && <strong> {title}</strong>}
      </h3>
      <RecordFields change={record} />
    </article>
  );
}

function keyOf({ record, id, key }: HistoryRecord): string {
  return `${record} ${id} ${JSON.stringify(key ?? null)}`;
}

function currencyOf({ before, after }: RecordChange): string | null {
  const currency = after?.['currency'] ?? before?.['currency'];
  return typeof currency === 'string' ? currency : null;
}

/** Returns what names the record that a column refers to; null for other columns, and for one that is gone. */
function useNameOf(): (column: string, value: unknown) => ReactNode {
  const { categoryOf, tagsOf, accounts } = useNames();
  return (column, value) => {
    if (typeof value !== 'number') return null;
    if (column === 'category_id' || column === 'group_id')
      return categoryOf({ category_id: value });
    if (column === 'tag_id') return tagsOf({ tag_ids: [value] })[0] ?? null;
    const kind = /^(manual|plaid)_account_id$/.exec(column)?.[1];
    return accounts.get(`${kind}:${value}`) ?? null;
  };
}

/** A change that does not exist, or that the history no longer has, and why. */
function GoneChange({ error }: { readonly error: Error | null }): ReactElement {
  const status = error instanceof ApiError ? error.status : 404;
  const [title, hint] =
    status === 410
      ? [t.pruned, t.prunedHint(oldestOf(error))]
      : [t.gone, status === 404 ? t.goneHint : describeError(error)];
  return (
    <>
      <PageHeader title={t.title} />
      <EmptyState icon="history" title={title} hint={hint}>
        <LinkButton href="/history" look="main" label={t.back} />
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

/** What changed in a record: each value as it was, and as it became, with the names of what ids refer to. */
function RecordFields({ change }: { readonly change: RecordChange }): ReactElement {
  const { kind } = change;
  const nameOf = useNameOf();
  const currency = currencyOf(change);
  const shown = (column: string, value: unknown): ReactElement => (
    <>{nameOf(column, value) ?? <Value {...{ column, value, currency }} />}</>
  );
  return (
    <dl className="changed-fields">
      {fieldsOf(change).map(({ column, before, after }) => (
        <div key={column}>
          <dt>{column.replace(/_id$/, '').replaceAll('_', ' ')}</dt>
          {kind !== 'made' && (
            <dd className="before">
              {kind === 'changed' && <span className="hidden">{t.before}: </span>}
              {shown(column, before)}
            </dd>
          )}
          {kind !== 'removed' && (
            <dd className="after">
              {kind === 'changed' && <span className="hidden">{t.after}: </span>}
              {shown(column, after)}
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

const amounts = new Set(['amount', 'balance', 'to_base', 'limit', 'credit_limit']);

function Value(props: {
  readonly column: string;
  readonly value: unknown;
  /** The currency of the amounts; null when it is not known. */
  readonly currency: string | null;
}): ReactNode {
  const { column, value, currency } = props;
  const preferences = usePreferences();
  if (value === null || value === undefined || value === '') return <em>{t.none}</em>;
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (typeof value !== 'string' && typeof value !== 'number')
    return <code>{JSON.stringify(value)}</code>;
  const text = String(value);
  if (amounts.has(column) && /^-?\d+(\.\d+)?$/.test(text))
    return <Money amount={text} currency={currency ?? ''} hasCurrency={currency !== null} />;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return formatDate(text, 'medium', preferences);
  return text;
}
