import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { ApiError, describeError } from '../../../api/errors.ts';
import type { ImportOptions, ImportPreview } from '../../../api/types.ts';
import { uploads } from '../../../api/uploads.ts';
import { choicesOf, countImported, noDecisions } from '../../../books/imports/import-rows.ts';
import { readDecisions, writeDecisions } from '../../../books/imports/import-rows.ts';
import type { Decisions } from '../../../books/imports/import-rows.ts';
import { Button } from '../../../parts/button.tsx';
import { usePageKey } from '../../../parts/page/page-keys.ts';
import { PageHeader } from '../../../parts/page/page-header.tsx';
import { importTexts as t } from '../../../texts/en/import.ts';
import { useCommit, useReadAgain } from './data.ts';
import { DiscardButton } from './discard-button.tsx';
import { PreviewAccounts } from './preview-accounts.tsx';
import { PreviewNotes } from './preview-notes.tsx';
import { PreviewRows } from './preview-rows.tsx';
import { PreviewSummary } from './preview-summary.tsx';
import { PreviewReading } from './preview-reading.tsx';

/** Decisions of a person, which a reload finds again in this tab. */
function useDecisions(id: number): [Decisions, (decisions: Decisions) => void] {
  const key = `coffer.import.${id}`;
  const [decisions, setDecisions] = useState(() => readDecisions(sessionStorage.getItem(key)));
  useEffect(() => {
    if (decisions === noDecisions) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, writeDecisions(decisions));
  }, [key, decisions]);
  return [decisions, setDecisions];
}

/** What an import of a file would do: every row with its verdict, and what can be changed before it happens. */
export function ReadyPreview({ preview }: { readonly preview: ImportPreview }): ReactElement {
  const { id, options } = preview;
  const name = preview.file_name ?? t.unnamed;
  const [decisions, setDecisions] = useDecisions(id);
  const [file, setFile] = useState(() => uploads.of(id)?.file ?? null);
  const [, navigate] = useLocation();
  const commit = useCommit(id);
  const readAgain = useReadAgain(id);
  const count = countImported(preview, decisions);
  const isWorking = commit.isPending || readAgain.isPending;
  const run = (): void => {
    const { keepsDoubtful } = decisions;
    const on_doubt = keepsDoubtful === true ? ('keep' as const) : ('skip' as const);
    commit.mutate({ ...(keepsDoubtful !== null && { on_doubt }), rows: choicesOf(decisions) });
  };
  const read = (next: ImportOptions, by = file): void => {
    if (by === null) return;
    setFile(by);
    readAgain.mutate(
      { file: by, options: next },
      { onSuccess: (made) => navigate(`/import/${made.id}`, { replace: true }) },
    );
  };
  const main = useMainButton();
  usePageKey('Enter', isWorking || count === 0 ? null : run);
  return (
    <div className="import-preview">
      <PageHeader title={name} summary={<PreviewSummary preview={preview} />}>
        <DiscardButton id={id} name={name} />
        <Button
          ref={main}
          look="main"
          icon="check"
          disabled={isWorking || count === 0}
          onClick={run}
        >
          {commit.isPending ? t.importing : count === 0 ? t.importNothing : t.import(count)}
        </Button>
      </PageHeader>
      <Refusal error={commit.error ?? readAgain.error} />
      <PreviewNotes preview={preview} decisions={decisions} onDecide={setDecisions} />
      <div className="preview-sides">
        <PreviewAccounts preview={preview} canRead={file !== null} onRead={read} />
        <PreviewReading
          preview={preview}
          file={file}
          options={options}
          isWorking={readAgain.isPending}
          onRead={read}
        />
      </div>
      <PreviewRows preview={preview} decisions={decisions} onDecide={setDecisions} />
    </div>
  );
}

/** The main button has the focus at the beginning, so that Enter imports. */
function useMainButton(): React.RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) button.current?.focus();
  }, []);
  return button;
}

/** Why an import, or another reading, was refused. */
function Refusal({ error }: { readonly error: Error | null }): ReactElement | null {
  if (error === null) return null;
  const isChanged = error instanceof ApiError && error.status === 409;
  return (
    <p className="notice card-notice" role="alert">
      {isChanged ? t.verdictsChanged : `${t.failed}: ${describeError(error)}`}
    </p>
  );
}
