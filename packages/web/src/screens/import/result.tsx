import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { ImportRecord } from '../../api/types.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { usePageKey } from '../../parts/page/page-keys.ts';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { Progress } from '../../parts/states/progress.tsx';
import { importTexts as t } from '../../texts/en/import.ts';
import { useUploads } from './preview/data.ts';
import { useImportUndo } from './use-undo.tsx';

/** What an import has done, and the ways on: its transactions, review, the next file, undo. */
export function ImportResult({ record }: { readonly record: ImportRecord }): ReactElement {
  const { id, status, imported, is_pruned } = record;
  const { run, isBusy, dialog } = useImportUndo(record);
  const next = useUploads().find(({ previewId, state }) => state === 'sent' && previewId !== id);
  const isUndone = status === 'undone';
  const first = useFocus();
  usePageKey('u', isUndone ? null : run);
  return (
    <>
      <PageHeader title={record.file_name ?? t.unnamed} summary={<Period record={record} />} />
      <section className="card result" aria-labelledby="result-title">
        <Icon name={isUndone ? 'undo' : 'check'} />
        <div className="stack">
          <div role="status">
            <h2 id="result-title">
              {isUndone ? t.undone : imported > 0 ? t.done(imported) : t.doneNothing}
            </h2>
          </div>
          {isUndone ? <p className="hint">{t.undoneHint}</p> : <Counts record={record} />}
          {isBusy && <Progress label={isUndone ? t.redoing : t.undoing} />}
          <div className="actions">
            {!isUndone && imported > 0 && (
              <Link ref={first} href={`/transactions?import=${id}`} className="button main">
                {t.toTransactions}
              </Link>
            )}
            {!isUndone && imported > 0 && (
              <Link href="/review" className="button">
                <Icon name="review" />
                {t.toReview}
              </Link>
            )}
            {next !== undefined && (
              <Link href={`/import/${next.previewId}`} className="button">
                {t.next(next.file.name)}
              </Link>
            )}
            <Button
              icon={isUndone ? 'history' : 'undo'}
              disabled={run === null}
              onClick={() => run?.()}
            >
              {isUndone ? t.redo : t.undo} {!isUndone && run !== null && <kbd>u</kbd>}
            </Button>
            <Link href="/import" className="button">
              {t.back}
            </Link>
          </div>
          {is_pruned && <p className="hint">{t.prunedHint}</p>}
        </div>
      </section>
      {dialog}
    </>
  );
}

/** Gives the focus to the first way on, unless it is somewhere else. */
function useFocus(): React.RefObject<HTMLAnchorElement | null> {
  const element = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) element.current?.focus();
  }, []);
  return element;
}

function Period({ record }: { readonly record: ImportRecord }): ReactElement {
  const { first_date, last_date, format } = record;
  const preferences = usePreferences();
  const days = [first_date, last_date].flatMap((date) =>
    date === null ? [] : [formatDate(date, 'medium', preferences)],
  );
  return (
    <span className="fact-line">
      {days.length > 0 && <span>{[...new Set(days)].join(' – ')}</span>}
      {format !== null && <span>{format.toUpperCase()}</span>}
    </span>
  );
}

function Counts({ record }: { readonly record: ImportRecord }): ReactElement | null {
  const { known, replaced, skipped } = record;
  const { accounts_created, categories_created, tags_created } = record;
  const lines = [
    known > 0 && t.known(known),
    replaced > 0 && t.replaced(replaced),
    skipped > 0 && t.skipped(skipped),
    t.creates(accounts_created, categories_created, tags_created),
  ].filter((line) => line !== false && line !== '');
  if (lines.length === 0) return null;
  return (
    <ul className="hint">
      {lines.map((line) => (
        <li key={String(line)}>{line}</li>
      ))}
    </ul>
  );
}
