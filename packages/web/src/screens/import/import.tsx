import { useEffect, type ReactElement } from 'react';
import { useParams, useLocation, Link } from 'wouter';
import { describeError, ApiError } from '../../api/errors.ts';
import { uploads, uploads as queue, type Upload } from '../../api/uploads.ts';
import { formatTime } from '../../books/formats/dates.ts';
import type { ImportRecord } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { Progress } from '../../parts/states.tsx';
import { importTexts as t } from '../../texts/en/import.ts';
import { usePreviews, useUploads, usePastImports, useDiscard } from './data.ts';
import { FileButton } from '../flow/file-button.tsx';
import { Days } from './file-buttons.tsx';
import { GoneImport, OneImport } from './one-import.tsx';
import { Problems, ReadingForm } from './reading-form.tsx';
import { useImportUndo } from './use-undo.tsx';

/** Bank files: dropped, looked at, imported, and undone. */
export function Import(): ReactElement {
  const { id } = useParams<{ readonly id?: string }>();
  if (id === undefined) return <ImportHome />;
  return /^[1-9]\d{0,14}$/.test(id) ? <OneImport key={id} id={Number(id)} /> : <GoneImport />;
}

/** Where files are given to Coffer: those that are not imported yet, and earlier imports. */
function ImportHome(): ReactElement {
  const { data: previews = [] } = usePreviews();
  const files = useUploads();
  useFirstPreview();
  usePaste();
  return (
    <div className="import-home">
      <PageHeader title={t.title} summary={t.summary} />
      <section className="drop-zone" aria-labelledby="drop-title">
        <Icon name="import" />
        <div>
          <h2 id="drop-title">{t.drop}</h2>
          <p className="hint">{t.dropHint}</p>
        </div>
        <FileButton look="main" />
      </section>
      <OpenFiles uploads={files} previews={previews} />
      <PastImports />
    </div>
  );
}

/** Opens the first preview of new files as soon as the server has it. */
function useFirstPreview(): void {
  const [, navigate] = useLocation();
  const fresh = useUploads().find(({ state, isSeen }) => state === 'sent' && !isSeen);
  useEffect(() => {
    if (fresh !== undefined) navigate(`/import/${fresh.previewId}`);
  }, [fresh, navigate]);
}

/** Takes files and tables that are pasted anywhere but in a field. */
function usePaste(): void {
  useEffect(() => {
    const paste = ({ target, clipboardData }: ClipboardEvent): void => {
      if (target instanceof Element && target.matches('input, textarea, select')) return;
      const files = [...(clipboardData?.files ?? [])];
      const text = clipboardData?.getData('text/plain') ?? '';
      if (files.length > 0) uploads.add(files);
      else if (text.trim() !== '')
        uploads.add([new File([text], t.pastedName, { type: 'text/csv' })]);
    };
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  }, []);
}

/** The imports that have happened, and what can be undone or restored. */
function PastImports(): ReactElement {
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
  return (
    <div className={`past-import ${isUndone ? 'undone' : ''}`}>
      <div>
        <Link href={`/import/${id}`} className="file-name">
          {name}
        </Link>
        <p className="hint fact-line">
          <span>{formatTime(created_at, preferences)}</span>
          <Days of={record} />
        </p>
      </div>
      <p className="past-count">
        {isUndone && <span className="kind-badge">{t.statusUndone}</span>}{' '}
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

type OpenFilesProps = Readonly<{ uploads: readonly Upload[]; previews: readonly ImportRecord[] }>;

/** The files that are on their way, that were refused, and the previews that wait for a decision. */
function OpenFiles({ uploads, previews }: OpenFilesProps): ReactElement | null {
  const local = uploads.filter(({ state }) => state !== 'sent');
  if (local.length + previews.length === 0) return null;
  return (
    <section aria-labelledby="open-title" className="stack">
      <h2 id="open-title">{t.open}</h2>
      <ul className="stack open-files">
        {local.map((upload) => (
          <li key={`upload-${upload.key}`} className="card">
            {upload.state === 'refused' ? <Refused upload={upload} /> : <Sending upload={upload} />}
          </li>
        ))}
        {previews.map((preview) => (
          <li key={preview.id} className="card">
            <OpenPreview preview={preview} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Sending({ upload }: { readonly upload: Upload }): ReactElement {
  const { file, state, progress } = upload;
  return (
    <div className="stack">
      <h3 className="file-name">{file.name}</h3>
      {state === 'waiting' ? (
        <p className="hint">{t.waiting}</p>
      ) : (
        <Progress label={t.sending} value={progress} />
      )}
    </div>
  );
}

/** A file that the server cannot read: what is wrong with it, and how it might be read. */
function Refused({ upload }: { readonly upload: Upload }): ReactElement {
  const { key, file, error, options } = upload;
  return (
    <article className="stack" aria-labelledby={`refused-${key}`}>
      <header className="file-head">
        <Icon name="warning" />
        <h3 id={`refused-${key}`} className="file-name">
          {t.refused(file.name)}
        </h3>
        <Button
          look="quiet"
          icon="close"
          aria-label={t.discardOf(file.name)}
          onClick={() => queue.remove(key)}
        />
      </header>
      <p className="hint">{reasonOf(file, error) ?? t.refusedHint}</p>
      {error instanceof ApiError && <Problems problems={error.problems} />}
      {reasonOf(file, error) === null && (
        <ReadingForm
          file={file}
          options={options}
          mapping={null}
          remembered={{}}
          problems={error instanceof ApiError ? error.problems : []}
          isWorking={false}
          onRead={(next) => queue.retry(key, next)}
        />
      )}
    </article>
  );
}

/** Why a file cannot be read in any way; null when another way may help. */
function reasonOf(file: File, error: unknown): string | null {
  if (!(error instanceof ApiError)) return describeError(error);
  if (error.status === 413) return t.tooLarge;
  if (file.size === 0) return t.empty;
  return error.status === 400 ? null : describeError(error);
}

function OpenPreview({ preview }: { readonly preview: ImportRecord }): ReactElement {
  const { id, file_name, created_at } = preview;
  const preferences = usePreferences();
  const discard = useDiscard();
  const name = file_name ?? t.unnamed;
  const onSuccess = (): void => showToast({ text: t.discarded(name) });
  return (
    <div className="file-head">
      <Icon name="import" />
      <div>
        <h3 className="file-name">{name}</h3>
        <p className="hint">{formatTime(created_at, preferences)}</p>
      </div>
      <div className="actions">
        <Button
          look="quiet"
          icon="trash"
          aria-label={t.discardOf(name)}
          disabled={discard.isPending}
          onClick={() => discard.mutate(id, { onSuccess })}
        />
        <Link href={`/import/${id}`} className="button" aria-label={`${t.show} ${name}`}>
          {t.show}
        </Link>
      </div>
    </div>
  );
}
