import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { Combobox } from '../parts/fields/combobox.tsx';
import { Dialog } from '../parts/overlays/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import type { IconName } from '../parts/icon.tsx';
import { setPreferences, usePreferences } from '../parts/preferences.ts';
import { hrefOf, screens } from '../screens/index.ts';
import { shell as t } from '../texts/en/shell.ts';
import type { SheetProps } from '../screens/flow/shell-keys.ts';

/** Goes to a screen or runs an action by some letters and Enter (Ctrl-K). */
export function Palette({ onOpen, onClose }: SheetProps): ReactElement {
  const [, navigate] = useLocation();
  const { isPrivate } = usePreferences();
  const actions = [
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
    <Dialog title={t.palette} look="top" closeLabel={t.close} onClose={onClose}>
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
