import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { describeError } from '../../api/errors.ts';
import { keys } from '../../api/keys.ts';
import { signIn } from '../../api/session.ts';
import { Loading } from '../../parts/states/progress.tsx';
import { signInTexts as t } from '../../texts/en/sign-in.ts';
import { Entrance } from './entrance.tsx';

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
      <Link className="button" href="/sign-in">
        {t.submit}
      </Link>
    </Entrance>
  );
}
