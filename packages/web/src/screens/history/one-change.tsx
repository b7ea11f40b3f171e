import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { HistoryRecord, HistoryVersion } from '../../api/types.ts';
import { formatTime } from '../../books/formats/dates.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { usePageKey } from '../../parts/page/page-keys.ts';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { Loading } from '../../parts/states/progress.tsx';
import { historyTexts as t } from '../../texts/en/history.ts';
import { recordNames } from '../../texts/en/records.ts';
import { useChange } from './data.ts';
import { GoneChange } from './gone-change.tsx';
import { RecordFields } from './record-fields.tsx';
import { actorName, countsOf, sentenceOf } from './sentence.ts';
import { titleOf } from '../../books/history/changes.ts';
import { useChangeUndo } from './use-undo.tsx';

/** One change, with its records before and after. */
export function OneChange({ version }: { readonly version: number }): ReactElement {
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
        <Link href="/history" className="button">
          {t.back}
        </Link>
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
