import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { describeError } from '../../api/errors.ts';
import type { ImportRecord } from '../../api/types.ts';
import { formatDate, formatTime } from '../../books/formats/dates.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { importTexts as t } from '../../texts/en/import.ts';
import { usePastImports } from './preview/data.ts';
import { useImportUndo } from './use-undo.tsx';

/** The imports that have happened, and what can be undone or restored. */
export function PastImports(): ReactElement {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    usePastImports();
  const imports = (data?.pages ?? []).flatMap((page) => page.imports);
  return (
    <section className="stack past" aria-labelledby="past-title" aria-busy={isPending}>
      <h2 id="past-title">{t.past}</h2>
      {error !== null && (
        <div className="notice card-notice" role="alert">
          <p>{describeError(error)}</p>
          <Button onClick={() => void refetch()}>{t.readAgain}</Button>
        </div>
      )}
      {data !== undefined && imports.length === 0 && <p className="hint">{t.pastNone}</p>}
      {imports.length > 0 && (
        <ul className="card past-list">
          {imports.map((record) => (
            <li key={record.id}>
              <PastImport record={record} />
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="actions">
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t.older}
          </Button>
        </div>
      )}
    </section>
  );
}

function PastImport({ record }: { readonly record: ImportRecord }): ReactElement {
  const { id, file_name, created_at, status, imported, is_pruned, version } = record;
  const preferences = usePreferences();
  const { run, isBusy, dialog } = useImportUndo(record);
  const name = file_name ?? t.unnamed;
  const isUndone = status === 'undone';
  const days = [record.first_date, record.last_date].flatMap((date) =>
    date === null ? [] : [formatDate(date, 'medium', preferences)],
  );
  return (
    <div className={`past-import ${isUndone ? 'undone' : ''}`}>
      <div>
        <Link href={`/import/${id}`} className="file-name">
          {name}
        </Link>
        <p className="hint fact-line">
          <span>{formatTime(created_at, preferences)}</span>
          {days.length > 0 && <span>{[...new Set(days)].join(' – ')}</span>}
        </p>
      </div>
      <p className="past-count">
        {isUndone && <span className="kind-badge">{t.status.undone}</span>}{' '}
        {isUndone ? '' : imported > 0 ? t.done(imported) : t.doneNothing}
      </p>
      {is_pruned || version === null ? (
        <span className="hint" title={is_pruned ? t.prunedHint : undefined}>
          {is_pruned ? t.pruned : ''}
        </span>
      ) : (
        <Button
          aria-label={isUndone ? t.redoOf(name) : t.undoOf(name)}
          disabled={run === null}
          onClick={() => run?.()}
        >
          <Icon name={isUndone ? 'history' : 'undo'} />
          {isBusy ? (isUndone ? t.redoing : t.undoing) : isUndone ? t.redo : t.undo}
        </Button>
      )}
      {dialog}
    </div>
  );
}
