import { useState } from 'react';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { describeError } from '../../../api/errors.ts';
import type { ImportOptions, ImportPreview } from '../../../api/types.ts';
import { uploads } from '../../../api/uploads.ts';
import { PageHeader } from '../../../parts/page/page-header.tsx';
import { importTexts as t } from '../../../texts/en/import.ts';
import { useCommit, useReadAgain } from './data.ts';
import { DiscardButton } from './discard-button.tsx';
import { Problems } from './problems.tsx';
import { ReadingForm } from './reading-form.tsx';

/** A large file that could not be read: what is wrong with it, and how it might be read. */
export function FailedPreview({ preview }: { readonly preview: ImportPreview }): ReactElement {
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
