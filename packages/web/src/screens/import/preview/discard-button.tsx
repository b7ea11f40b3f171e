import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { describeError } from '../../../api/errors.ts';
import { Button } from '../../../parts/button.tsx';
import { showToast } from '../../../parts/overlays/toasts.ts';
import { importTexts as t } from '../../../texts/en/import.ts';
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
      onError: (error) => showToast({ text: describeError(error), look: 'problem' }),
    });
  return (
    <Button icon="trash" disabled={discard.isPending} onClick={run}>
      {t.discard}
    </Button>
  );
}
