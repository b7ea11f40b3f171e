import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { useSession } from '../api/hooks.ts';
import { EmptyState } from '../parts/states/empty-state.tsx';
import { Loading } from '../parts/states/progress.tsx';
import { ToastRegion } from '../parts/overlays/toast-region.tsx';
import { screens } from '../screens/index.ts';
import { shell as t } from '../texts/en/shell.ts';
import { Failure } from './failure.tsx';
import { Frame } from './frame.tsx';

const SignIn = lazy(async () => ({
  default: (await import('../screens/sign-in/sign-in.tsx')).SignIn,
}));
const Start = lazy(async () => ({ default: (await import('../screens/sign-in/start.tsx')).Start }));

/** The whole page: the ways in, and behind them the frame with a screen. */
export function App(): ReactElement {
  return (
    <>
      <Suspense fallback={<Loading label={t.loading} />}>
        <Switch>
          <Route path="/start" component={Start} />
          <Route path="/sign-in" component={SignIn} />
          <Route component={SignedIn} />
        </Switch>
      </Suspense>
      <ToastRegion label={t.messages} />
    </>
  );
}

function SignedIn(): ReactElement {
  const { data } = useSession();
  const [path] = useLocation();
  if (data === undefined) return <Loading label={t.loading} />;
  if (data.user === null) {
    const next = encodeURIComponent(path + location.search);
    return <Redirect to={`/sign-in?next=${next}`} replace />;
  }
  return (
    <Frame>
      <Failure key={path.split('/', 2)[1]}>
        <Suspense fallback={<Loading label={t.loading} />}>
          <Switch>
            {screens.map(({ path: pattern, view }) => (
              <Route key={pattern} path={pattern} component={view} />
            ))}
            <Route>
              <EmptyState icon="search" title={t.notFound} hint={t.notFoundHint} />
            </Route>
          </Switch>
        </Suspense>
      </Failure>
    </Frame>
  );
}
