import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { basePath } from '../api/request.ts';
import { rememberSession } from '../api/last-session.ts';
import { signOut } from '../api/session.ts';
import { unsent } from '../api/unsent.ts';
import { Button } from '../parts/button.tsx';
import { Combobox } from '../parts/fields/combobox.tsx';
import { CheckField, Segments } from '../parts/fields/fields.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Dialog } from '../parts/overlays/dialog.tsx';
import { setPreferences, usePreferences } from '../parts/preferences.ts';
import { hrefOf, screens } from '../screens/index.ts';
import { adding } from '../screens/transactions/adding.ts';
import { SignInForm } from '../screens/sign-in/sign-in-form.tsx';
import { keySheet } from '../texts/en/keys.ts';
import { shell as t } from '../texts/en/shell.ts';
import { signInTexts } from '../texts/en/sign-in.ts';
import { newRowTexts } from '../texts/en/transactions.ts';
import { inBar, ScreenLink, type SheetProps } from './navigation.tsx';
import { Leaving } from './unsent.tsx';

/** Goes to a screen or runs an action by some letters and Enter (Ctrl-K). */
export function Palette({ onOpen, onClose }: SheetProps): ReactElement {
  const [, navigate] = useLocation();
  const { isPrivate } = usePreferences();
  const actions = [
    { id: 'add', ...named('plus', newRowTexts.title), run: adding.open },
    ...screens.map((screen) => ({
      id: screen.path,
      ...named(screen.icon, screen.label),
      run: () => navigate(hrefOf(screen)),
    })),
    {
      id: 'privacy',
      ...named(isPrivate ? 'eye' : 'eye-off', isPrivate ? t.showAmounts : t.hideAmounts),
      run: () => setPreferences({ isPrivate: !isPrivate }),
    },
    { id: 'keys', ...named('keyboard', t.keys), run: () => onOpen('keys') },
  ];
  return (
    <Dialog title={t.palette} look="top" onClose={onClose}>
      <Combobox
        label={t.palette}
        placeholder={t.palettePlaceholder}
        options={actions}
        hasFocus
        isListFixed
        nothing={t.paletteNothing}
        onCancel={onClose}
        onChoose={(action) => {
          onClose();
          action?.run();
        }}
      />
    </Dialog>
  );
}

function named(icon: IconName, name: string) {
  const content = (
    <>
      <Icon name={icon} /> {name}
    </>
  );
  return { name, content };
}

/** Which key does what. Letters can be turned off (WCAG 2.1.4). */
export function KeySheet({ onClose }: SheetProps): ReactElement {
  const { hasLetterKeys } = usePreferences();
  return (
    <Dialog title={t.keys} look="wide" onClose={onClose}>
      <div className="key-sheet">
        {keySheet.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([names, action]) => (
                <div key={names}>
                  <dt>
                    {names.split(' ').map((name) => (
                      <kbd key={name}>{name}</kbd>
                    ))}
                  </dt>
                  <dd>{action}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <CheckField
        label={t.letterKeys}
        value={hasLetterKeys}
        onChange={(next) => setPreferences({ hasLetterKeys: next })}
      />
    </Dialog>
  );
}

/** The other screens, how things look, and the way out. */
export function More({ onOpen, onClose }: SheetProps): ReactElement {
  const { theme, isPrivate } = usePreferences();
  const cache = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const leave = async (): Promise<void> => {
    await signOut();
    rememberSession(null);
    cache.clear();
    location.assign(`${basePath()}/sign-in`);
  };
  if (isAsking) return <Leaving leave={leave} onClose={onClose} />;
  return (
    <Dialog title={t.more} look="sheet" onClose={onClose}>
      <ul className="more-screens">
        {screens.slice(inBar).map((screen) => (
          <li key={screen.path}>
            <ScreenLink screen={screen} onFollow={onClose} />
          </li>
        ))}
      </ul>
      <Segments
        label={t.theme}
        value={theme}
        options={t.themes}
        onChange={(next) => setPreferences({ theme: next })}
      />
      <div className="actions">
        <Button
          icon={isPrivate ? 'eye-off' : 'eye'}
          onClick={() => setPreferences({ isPrivate: !isPrivate })}
        >
          {isPrivate ? t.showAmounts : t.hideAmounts}
        </Button>
        <Button icon="keyboard" onClick={() => onOpen('keys')}>
          {t.keys}
        </Button>
        <a className="button" href={`${basePath()}/docs`}>
          {t.reference}
        </a>
        <Button
          icon="sign-out"
          onClick={() => (unsent.entries.length === 0 ? void leave() : setIsAsking(true))}
        >
          {t.signOut}
        </Button>
      </div>
    </Dialog>
  );
}

/** Asks to sign in over the screen when the session has ended, so that the screen keeps what was typed. */
export function SignInAgain(): ReactElement {
  const cache = useQueryClient();
  return (
    <Dialog title={signInTexts.again} closeLabel={null} onClose={() => undefined}>
      <p>{signInTexts.againHint}</p>
      <SignInForm onDone={() => void cache.invalidateQueries()} />
    </Dialog>
  );
}

/** Covers the page while files are held over it. */
export function DropLayer(): ReactElement {
  return (
    <div className="drop-layer" role="status">
      <p>
        <Icon name="import" />
        {t.dropAnywhere}
      </p>
    </div>
  );
}
