import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { ApiError, describeError } from '../../api/errors.ts';
import type { ImportPreview } from '../../api/types.ts';
import { uploads } from '../../api/uploads.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Loading, Progress } from '../../parts/states/progress.tsx';
import { importTexts as t } from '../../texts/en/import.ts';
import { wholeNumber } from '../../texts/plural.ts';
import { useImport } from './preview/data.ts';
import { FailedPreview } from './preview/failed-preview.tsx';
import { GoneImport } from './gone-import.tsx';
import { ReadyPreview } from './preview/ready-preview.tsx';
import { ImportResult } from './result.tsx';

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
          <Link href="/import" className="button">
            {t.back}
          </Link>
        </div>
      </section>
    </>
  );
}
