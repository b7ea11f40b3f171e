import type { ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../api/hooks.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { setPreferences, usePreferences } from '../parts/preferences.ts';
import { hrefOf, screens, type Screen } from '../screens/index.ts';
import { adding } from '../screens/transactions/adding.ts';
import { shell as t } from '../texts/en/shell.ts';
import { newRowTexts } from '../texts/en/transactions.ts';

/** A dialog of the shell. */
export type Sheet = 'palette' | 'keys' | 'more' | 'unsent';

/** What a dialog of the shell gets. */
export interface SheetProps {
  readonly onOpen: (sheet: Sheet) => void;
  readonly onClose: () => void;
}

/** How many screens are in the bar of a phone. */
export const inBar = 4;

/** The navigation: at the side, and a bar at the bottom of phones. */
export function Navigation({ onOpen }: { readonly onOpen: (sheet: Sheet) => void }): ReactElement {
  return (
    <nav className="navigation" aria-label={t.mainNavigation}>
      <p className="brand">
        <Icon name="logo" />
        {t.name}
      </p>
      <ul>
        <li className="in-bar">
          <button type="button" className="nav-link add" onClick={adding.open}>
            <Icon name="plus" />
            <span>{newRowTexts.add}</span>
          </button>
        </li>
        {screens.map((screen, place) => (
          <li key={screen.path} className={place < inBar ? 'in-bar' : ''}>
            <ScreenLink screen={screen} />
          </li>
        ))}
        <li className="in-bar phone-only">
          <button type="button" className="nav-link" onClick={() => onOpen('more')}>
            <Icon name="more" />
            <span>{t.more}</span>
          </button>
        </li>
      </ul>
      <Foot onOpen={onOpen} />
    </nav>
  );
}

/** A link to a screen, marked when it is shown. */
export function ScreenLink(props: {
  readonly screen: Screen;
  readonly onFollow?: () => void;
}): ReactElement {
  const { screen, onFollow } = props;
  const [path] = useLocation();
  const href = hrefOf(screen);
  const isHere = href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);
  return (
    <Link
      href={href}
      className="nav-link"
      aria-current={isHere ? 'page' : undefined}
      onClick={onFollow}
    >
      <Icon name={screen.icon} />
      <span>{screen.label}</span>
    </Link>
  );
}

function Foot({ onOpen }: { readonly onOpen: (sheet: Sheet) => void }): ReactElement {
  const { data } = useSession();
  const { isPrivate } = usePreferences();
  return (
    <div className="navigation-foot">
      <p className="book-name">{data?.book?.name}</p>
      <div className="actions">
        <Button
          look="quiet"
          icon={isPrivate ? 'eye-off' : 'eye'}
          aria-label={isPrivate ? t.showAmounts : t.hideAmounts}
          onClick={() => setPreferences({ isPrivate: !isPrivate })}
        />
        <Button look="quiet" icon="keyboard" aria-label={t.keys} onClick={() => onOpen('keys')} />
        <Button
          look="quiet"
          icon="search"
          aria-label={t.palette}
          onClick={() => onOpen('palette')}
        />
        <Button look="quiet" icon="more" aria-label={t.more} onClick={() => onOpen('more')} />
      </div>
    </div>
  );
}
