import { lazy, Suspense, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useConnection } from '../api/hooks.ts';
import { shell as t } from '../texts/en/shell.ts';
import { Navigation } from './navigation.tsx';
import { Notices } from './notices.tsx';
import { useFileDrop } from './file-drop.ts';
import { useShellKeys } from '../screens/flow/shell-keys.ts';
import type { Sheet } from '../screens/flow/shell-keys.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeySheet = lazy(async () => ({ default: (await import('./key-sheet.tsx')).KeySheet }));
const DropLayer = lazy(async () => ({ default: (await import('./drop-layer.tsx')).DropLayer }));
const More = lazy(async () => ({ default: (await import('./more.tsx')).More }));
const SignInAgain = lazy(async () => ({
  default: (await import('./sign-in-again.tsx')).SignInAgain,
}));

const sheets = { palette: Palette, keys: KeySheet, more: More } as const;

/** What surrounds every screen: navigation, notices, and the dialogs that every screen has. */
export function Frame({ children }: { readonly children: ReactNode }): ReactElement {
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const { isSignedOut } = useConnection();
  useShellKeys(setSheet);
  const isDropping = useFileDrop();
  const Shown = sheet === null ? null : sheets[sheet];
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {t.skip}
      </a>
      <Navigation onOpen={setSheet} />
      <div className="content">
        <Notices />
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
      <Suspense>
        {Shown !== null && <Shown onOpen={setSheet} onClose={() => setSheet(null)} />}
        {isDropping && <DropLayer />}
        {isSignedOut && <SignInAgain />}
      </Suspense>
    </div>
  );
}
