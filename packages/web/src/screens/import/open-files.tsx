import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { ApiError, describeError } from '../../api/errors.ts';
import type { ImportRecord } from '../../api/types.ts';
import { uploads as queue } from '../../api/uploads.ts';
import type { Upload } from '../../api/uploads.ts';
import { formatTime } from '../../books/formats/dates.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { Progress } from '../../parts/states/progress.tsx';
import { showToast } from '../../parts/overlays/toasts.ts';
import { importTexts as t } from '../../texts/en/import.ts';
import { useDiscard } from './preview/data.ts';
import { Problems } from './preview/problems.tsx';
import { ReadingForm } from './preview/reading-form.tsx';

/** What is not imported yet. */
export interface OpenFilesProps {
  readonly uploads: readonly Upload[];
  readonly previews: readonly ImportRecord[];
}

/** The files that are on their way, that were refused, and the previews that wait for a decision. */
export function OpenFiles({ uploads, previews }: OpenFilesProps): ReactElement | null {
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
