import { type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { formatDate } from '../../books/formats/dates.ts';
import type { ImportRecord } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { importTexts as t } from '../../texts/en/import.ts';
import { showFailure } from '../flow/own-changes.ts';
import { useDiscard } from './data.ts';

/** Deletes the preview that is shown, and goes back to the list. */
export function DiscardButton(props: { readonly id: number; readonly name: string }): ReactElement {
  const { id, name } = props;
  const discard = useDiscard();
  const [, navigate] = useLocation();
  const run = (): void =>
    discard.mutate(id, {
      onSuccess: () => {
        showToast({ text: t.discarded(name) });
        navigate('/import');
      },
      onError: showFailure,
    });
  return (
    <Button icon="trash" disabled={discard.isPending} onClick={run}>
      {t.discard}
    </Button>
  );
}

/** The first and the last day of a file; nothing for one without dates. */
export function Days({ of }: { readonly of: FileDates }): ReactElement | null {
  const preferences = usePreferences();
  const days = [of.first_date, of.last_date].filter((date) => date !== null);
  if (days.length === 0) return null;
  return (
    <span>
      {[...new Set(days)].map((date) => formatDate(date, 'medium', preferences)).join(' – ')}
    </span>
  );
}

type FileDates = Pick<ImportRecord, 'first_date' | 'last_date'>;
