import type { ReactElement } from 'react';
import { Dialog } from '../parts/overlays/dialog.tsx';
import { setPreferences, usePreferences } from '../parts/preferences.ts';
import { keySheet } from '../texts/en/keys.ts';
import { shell as t } from '../texts/en/shell.ts';
import type { SheetProps } from '../screens/flow/shell-keys.ts';

/** Which key does what. Letters can be turned off (WCAG 2.1.4). */
export function KeySheet({ onClose }: SheetProps): ReactElement {
  const { hasLetterKeys } = usePreferences();
  return (
    <Dialog title={t.keys} look="wide" closeLabel={t.close} onClose={onClose}>
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
      <label className="check">
        <input
          type="checkbox"
          checked={hasLetterKeys}
          onChange={({ currentTarget: { checked } }) => setPreferences({ hasLetterKeys: checked })}
        />
        {t.letterKeys}
      </label>
    </Dialog>
  );
}
