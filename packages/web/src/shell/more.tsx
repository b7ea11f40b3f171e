import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { basePath } from '../api/request.ts';
import { signOut } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/overlays/dialog.tsx';
import { setPreferences, usePreferences } from '../parts/preferences.ts';
import { screens } from '../screens/index.ts';
import { shell as t } from '../texts/en/shell.ts';
import { inBar, ScreenLink } from './navigation.tsx';
import type { SheetProps } from '../screens/flow/shell-keys.ts';

const themes = ['system', 'light', 'dark'] as const;

/** The other screens, how things look, and the way out. */
export function More({ onOpen, onClose }: SheetProps): ReactElement {
  const { theme, isPrivate } = usePreferences();
  const cache = useQueryClient();
  const leave = async (): Promise<void> => {
    await signOut();
    cache.clear();
    location.assign(`${basePath()}/sign-in`);
  };
  return (
    <Dialog title={t.more} look="sheet" closeLabel={t.close} onClose={onClose}>
      <ul className="more-screens">
        {screens.slice(inBar).map((screen) => (
          <li key={screen.path}>
            <ScreenLink screen={screen} onFollow={onClose} />
          </li>
        ))}
      </ul>
      <fieldset className="segments">
        <legend className="label">{t.theme}</legend>
        {themes.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="theme"
              checked={theme === each}
              onChange={() => setPreferences({ theme: each })}
            />
            <span>{t.themes[each]}</span>
          </label>
        ))}
      </fieldset>
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
        <Button icon="sign-out" onClick={() => void leave()}>
          {t.signOut}
        </Button>
      </div>
    </Dialog>
  );
}
