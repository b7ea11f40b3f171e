import { Suspense, Component, useState, useEffect, type ReactElement, type ReactNode } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { useSession, useConnection } from '../api/hooks.ts';
import { lastSession, rememberSession } from '../api/last-session.ts';
import { basePath } from '../api/request.ts';
import { ownerOf } from '../books/rows/unsent.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { ToastRegion } from '../parts/overlays/toasts.tsx';
import { isTyping, usePageKey } from '../parts/keys.ts';
import { EmptyState, late, Loading } from '../parts/states.tsx';
import { screens } from '../screens/index.ts';
import { adding, making, useIsAdding } from '../screens/flow/openers.ts';
import { shell as t } from '../texts/en/shell.ts';
import { Navigation, type Sheet } from './navigation.tsx';

const tickMs = 1000;

/** Says at the top of the page why requests wait, and what was typed and is not sent. */
function Notices({ onShow }: { readonly onShow: () => void }): ReactElement {
  const { isOffline, waitingUntilMs } = useConnection();
  const { data } = useSession();
  const owner = data === undefined ? null : ownerOf(data);
  return (
    <div role="status">
      {isOffline && (
        <p className="notice">
          <Icon name="warning" />
          {t.offline}
        </p>
      )}
      {owner !== null && (
        <Suspense>
          <Sending owner={owner} onShow={onShow} />
        </Suspense>
      )}
      {waitingUntilMs !== null && !isOffline && <Countdown untilMs={waitingUntilMs} />}
    </div>
  );
}

function Countdown({ untilMs }: { readonly untilMs: number }): ReactElement {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="notice">
      <Icon name="info" />
      {t.waiting(Math.max(1, Math.ceil((untilMs - nowMs) / 1000)))}
    </p>
  );
}

const Palette = late(() => import('./sheets.tsx'), 'Palette');
const KeySheet = late(() => import('./sheets.tsx'), 'KeySheet');
const DropLayer = late(() => import('./sheets.tsx'), 'DropLayer');
const More = late(() => import('./sheets.tsx'), 'More');
const SignInAgain = late(() => import('./sheets.tsx'), 'SignInAgain');

const NewTransaction = late(
  () => import('../screens/transactions/new-transaction.tsx'),
  'NewTransaction',
);

const RuleLike = late(() => import('../screens/rules/rule-dialog.tsx'), 'RuleLike');
const Sending = late(() => import('./sending.tsx'), 'Sending');
const UnsentSheet = late(() => import('./unsent.tsx'), 'UnsentSheet');
const Leaving = late(() => import('./unsent.tsx'), 'Leaving');
const OfflineStart = late(() => import('./offline-start.tsx'), 'OfflineStart');

const sheets = {
  palette: Palette,
  keys: KeySheet,
  more: More,
  unsent: UnsentSheet,
  leaving: Leaving,
} as const;

/** What surrounds every screen: navigation, notices, and the dialogs that every screen has. */
function Frame({ children }: { readonly children: ReactNode }): ReactElement {
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const { isSignedOut } = useConnection();
  useShellKeys(setSheet);
  const isDropping = useFileDrop();
  const isAdding = useIsAdding();
  const rule = making.useShown();
  const Shown = sheet === null ? null : sheets[sheet];
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {t.skip}
      </a>
      <Navigation onOpen={setSheet} />
      <div className="content">
        <Notices onShow={() => setSheet('unsent')} />
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
      <Suspense>
        {Shown !== null && <Shown onOpen={setSheet} onClose={() => setSheet(null)} />}
        {isAdding && <NewTransaction onClose={adding.close} />}
        {rule !== null && <RuleLike row={rule} onClose={making.close} />}
        {isDropping && <DropLayer />}
        {isSignedOut && <SignInAgain />}
      </Suspense>
    </div>
  );
}

/**
 * Imports files that are dropped anywhere in the window, instead of the browser opening them. Returns whether files are
 * held over the window at the moment. A drop zone that takes files itself prevents the default of its event.
 */
function useFileDrop(): boolean {
  const [isOver, setIsOver] = useState(false);
  const [, navigate] = useLocation();
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent): void => {
      // Null when the pointer leaves the window.
      if (relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent): void => {
      setIsOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (event.defaultPrevented || files.length === 0) return;
      event.preventDefault();
      void import('../api/uploads.ts').then(({ uploads }) => {
        uploads.add(files);
        navigate('/import');
      });
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [navigate]);
  return isOver;
}

/** Opens the palette by Ctrl-K (⌘K), the sheet of keys by `?`, and the form for a new transaction by `+` or `a`. */
function useShellKeys(open: (sheet: Sheet) => void): void {
  usePageKey('+', adding.open);
  usePageKey('a', adding.open);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isPalette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
      const isKeys = event.key === '?' && !isTyping(event.target);
      if (!isPalette && !isKeys) return;
      event.preventDefault();
      open(isPalette ? 'palette' : 'keys');
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [open]);
}

interface FailureState {
  readonly error: Error | null;
}

/** Shows what went wrong in a screen, and leaves the rest of the page as it is. */
class Failure extends Component<{ readonly children: ReactNode }, FailureState> {
  override state: FailureState = { error: null };

  /** Called by React with what was thrown. */
  static getDerivedStateFromError(error: Error): FailureState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <EmptyState icon="warning" title={t.failed} hint={t.failedHint}>
        <code role="alert">{error.message}</code>
        <Button onClick={() => location.reload()}>{t.reload}</Button>
      </EmptyState>
    );
  }
}

const SignIn = late(() => import('../screens/sign-in/sign-in.tsx'), 'SignIn');
const Start = late(() => import('../screens/sign-in/sign-in.tsx'), 'Start');

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
  const { isOffline } = useConnection();
  const [path] = useLocation();
  const owner = data === undefined ? null : ownerOf(data);
  useEffect(() => {
    if (data !== undefined) rememberSession(data);
  }, [data]);
  useEffect(() => {
    if (owner !== null) void keepShell();
  }, [owner]);
  if (data === undefined) {
    const last = isOffline ? lastSession() : null;
    return last === null ? <Loading label={t.loading} /> : <OfflineStart {...last} />;
  }
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

/** The policy with a name that the page allows: the address of the worker is the only one. Source: Trusted Types. */
interface TrustedTypes {
  readonly createPolicy: (
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ) => { readonly createScriptURL: (url: string) => string };
}

let isAsked = false;

/**
 * Lets the browser keep the code of all screens, so that the UI opens without a server, and can be installed. Browsers
 * do so on `localhost` and by https.
 */
async function keepShell(): Promise<void> {
  if (isAsked || !('serviceWorker' in navigator)) return;
  isAsked = true;
  const address = `${basePath()}/worker.js`;
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('coffer-worker', { createScriptURL: () => address });
  // The UI works without it.
  await navigator.serviceWorker
    .register(policy?.createScriptURL('') ?? address, { scope: `${basePath()}/` })
    .catch(() => undefined);
}
