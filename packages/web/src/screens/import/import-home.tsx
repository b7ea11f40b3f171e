import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { uploads } from '../../api/uploads.ts';
import { Icon } from '../../parts/icon.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { importTexts as t } from '../../texts/en/import.ts';
import { usePreviews, useUploads } from './preview/data.ts';
import { FileButton } from './preview/file-button.tsx';
import { OpenFiles } from './open-files.tsx';
import { PastImports } from './past-imports.tsx';

/** Where files are given to Coffer: those that are not imported yet, and earlier imports. */
export function ImportHome(): ReactElement {
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
