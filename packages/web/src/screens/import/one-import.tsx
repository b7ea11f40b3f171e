import { Suspense, useEffect, useState, useRef, type ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError, describeError } from '../../api/errors.ts';
import { uploads } from '../../api/uploads.ts';
import type { ImportPreview, ImportOptions, ImportRecord } from '../../books/types.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { usePageKey } from '../../parts/keys.ts';
import { PageHeader } from '../../parts/page.tsx';
import { EmptyState, late, Loading, Progress } from '../../parts/states.tsx';
import { importTexts as t } from '../../texts/en/import.ts';
import { wholeNumber } from '../../texts/plural.ts';
import { useImport, useCommit, useReadAgain, useUploads } from './data.ts';
import { FileButton } from '../flow/file-button.tsx';
import { DiscardButton, Days } from './file-buttons.tsx';
import { Problems, ReadingForm } from './reading-form.tsx';
import { ReadyPreview } from './ready-preview.tsx';
import { useImportUndo } from './use-undo.tsx';

const StarterSets = late(() => import('../flow/starter-sets.tsx'), 'StarterSets');

/** One import: while it is read, as a preview, and when it has happened. */
export function OneImport({ id }: { readonly id: number }): ReactElement {
  const { data, error, refetch } = useImport(id);
  useEffect(() => uploads.seeAll(), []);
  if (error instanceof ApiError && error.status === 404) return <GoneImport />;
  if (error !== null && data === undefined)
    return (
      <EmptyState icon="warning" title={t.title} hint={describeError(error)}>
        <Button onClick={() => void refetch()}>{t.readAgain}</Button>
      </EmptyState>
    );
  if (data === undefined) return <Loading label={t.reading} />;
  const { preview } = data;
  if (preview === null) return <ImportResult record={data} />;
  if (preview.status === 'expired') return <GoneImport isExpired />;
  if (preview.status === 'failed') return <FailedPreview preview={preview} />;
  if (preview.status === 'ready') return <ReadyPreview preview={preview} />;
  return <Working preview={preview} />;
}

/** What the server does with a file at the moment. */
function Working({ preview }: { readonly preview: ImportPreview }): ReactElement {
  const { status, progress, file_name } = preview;
  const name = file_name ?? t.unnamed;
  const { step, done, total } = progress ?? { step: 'reading', done: 0, total: 0 };
  const what = status === 'committing' && step === 'comparing' ? t.importing : t.steps[step];
  const isCounted = total > 0 && step === 'comparing';
  const label = isCounted ? t.stepOf(what, wholeNumber(done), wholeNumber(total)) : what;
  return (
    <>
      <PageHeader title={name} summary={status === 'committing' ? t.importing : t.reading} />
      <section className="card stack" aria-label={t.working(name)}>
        <Progress label={label} {...(total > 0 && { value: done / total })} />
        <div className="actions">
          <LinkButton href="/import" label={t.back} />
        </div>
      </section>
    </>
  );
}

/** A large file that could not be read: what is wrong with it, and how it might be read. */
function FailedPreview({ preview }: { readonly preview: ImportPreview }): ReactElement {
  const { id, file_name, errors, options, remembered } = preview;
  const [, navigate] = useLocation();
  const [file] = useState(() => uploads.of(id)?.file ?? null);
  const readAgain = useReadAgain(id);
  // The server reads a file that it could not read before, and shows the rows instead of importing them.
  const readThere = useCommit(id);
  const read = (next: ImportOptions): void => {
    if (file === null) readThere.mutate(next);
    else
      readAgain.mutate(
        { file, options: next },
        { onSuccess: (made) => navigate(`/import/${made.id}`, { replace: true }) },
      );
  };
  const { error } = readAgain;
  return (
    <>
      <PageHeader title={t.refused(file_name ?? t.unnamed)} summary={t.refusedHint}>
        <DiscardButton id={id} name={file_name ?? t.unnamed} />
      </PageHeader>
      <div className="stack">
        <Problems problems={errors} />
        {error !== null && (
          <p className="problem" role="alert">
            {describeError(error)}
          </p>
        )}
        <section className="card">
          <ReadingForm
            file={file}
            options={options}
            mapping={null}
            remembered={remembered}
            problems={errors}
            isWorking={readAgain.isPending || readThere.isPending}
            onRead={read}
          />
        </section>
      </div>
    </>
  );
}

/** What an import has done, and the ways on: its transactions, review, the next file, undo. */
function ImportResult({ record }: { readonly record: ImportRecord }): ReactElement {
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
              <LinkButton href={`/import/${next.previewId}`} label={t.next(next.file.name)} />
            )}
            <Button
              icon={isUndone ? 'history' : 'undo'}
              disabled={run === null}
              onClick={() => run?.()}
            >
              {isUndone ? t.redo : t.undo} {!isUndone && run !== null && <kbd>u</kbd>}
            </Button>
            <LinkButton href="/import" label={t.back} />
          </div>
          {is_pruned && <p className="hint">{t.prunedHint}</p>}
        </div>
      </section>
      <Suspense>{!isUndone && imported > 0 && <StarterSets />}</Suspense>
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
  const { format } = record;
  return (
    <span className="fact-line">
      <Days of={record} />
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

/** An import that does not exist, or a preview that has expired. */
export function GoneImport({ isExpired = false }: { readonly isExpired?: boolean }): ReactElement {
  return (
    <>
      <PageHeader title={t.title} />
      <EmptyState
        icon="import"
        title={isExpired ? t.expired : t.gone}
        hint={isExpired ? t.expiredHint : t.goneHint}
      >
        <FileButton look="main" />
        <LinkButton href="/import" label={t.back} />
      </EmptyState>
    </>
  );
}
