import type { ReactElement } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { Entrance } from './entrance.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { signInTexts as t } from '../../texts/en/sign-in.ts';

/** `/sign-in`: signs in, then shows the page that was asked for (`next`). */
export function SignIn(): ReactElement {
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const next = search.get('next') ?? '/';
  // A path of this site alone: no other host, and no second slash, which browsers read as one.
  const target = /^\/(?![/\\])/.test(next) ? next : '/';
  return (
    <Entrance title={t.title}>
      <SignInForm onDone={() => navigate(target, { replace: true })} />
    </Entrance>
  );
}
