import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Dialog } from '../parts/overlays/dialog.tsx';
import { SignInForm } from '../screens/sign-in/sign-in-form.tsx';
import { signInTexts as t } from '../texts/en/sign-in.ts';

/** Asks to sign in over the screen when the session has ended, so that the screen keeps what was typed. */
export function SignInAgain(): ReactElement {
  const cache = useQueryClient();
  return (
    <Dialog title={t.again} closeLabel={null} onClose={() => undefined}>
      <p>{t.againHint}</p>
      <SignInForm onDone={() => void cache.invalidateQueries()} />
    </Dialog>
  );
}
