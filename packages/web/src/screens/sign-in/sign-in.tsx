import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement, type ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { describeError } from '../../api/errors.ts';
import { keys } from '../../api/keys.ts';
import { signIn } from '../../api/session.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loading } from '../../parts/states.tsx';
import { shell } from '../../texts/en/shell.ts';
import { signInTexts as t } from '../../texts/en/sign-in.ts';
import { SignInForm } from './sign-in-form.tsx';

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

/** A link works once, and React may run an effect twice. */
let started: { readonly secret: string; readonly session: ReturnType<typeof signIn> } | null = null;

function signInOnce(secret: string): ReturnType<typeof signIn> {
  if (started?.secret !== secret) started = { secret, session: signIn({ method: 'link', secret }) };
  return started.session;
}

/** `/start#SECRET`: signs in by a link. The secret is in the fragment, which no log has. */
export function Start(): ReactElement {
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const [secret] = useState(() => location.hash.slice(1));
  const [refusal, setRefusal] = useState<string | null>(null);
  useEffect(() => {
    if (secret === '') return;
    signInOnce(secret).then(
      (session) => {
        cache.setQueryData(keys.session, session);
        navigate('/', { replace: true });
      },
      (error: unknown) => setRefusal(describeError(error)),
    );
  }, [cache, navigate, secret]);
  const problem = secret === '' ? t.noSecret : refusal;
  if (problem === null)
    return (
      <Entrance title={t.start}>
        <Loading label={t.startHint} />
      </Entrance>
    );
  return (
    <Entrance title={t.startFailed}>
      <p role="alert">{problem}</p>
      <p className="hint">
        {t.startFailedHint} <code>{t.command}</code>
      </p>
      <LinkButton href="/sign-in" label={t.submit} />
    </Entrance>
  );
}

/** The frame of pages for those who are not signed in. */
function Entrance(props: { readonly title: string; readonly children: ReactNode }): ReactElement {
  const { title, children } = props;
  useEffect(() => {
    document.title = `${title} – ${shell.name}`;
  }, [title]);
  return (
    <main className="entrance">
      <div className="entrance-card">
        <p className="brand">
          <Icon name="logo" />
          {shell.name}
        </p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
