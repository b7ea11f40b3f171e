import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { importTexts as t } from '../../texts/en/import.ts';
import { FileButton } from './preview/file-button.tsx';

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
        <Link href="/import" className="button">
          {t.back}
        </Link>
      </EmptyState>
    </>
  );
}
