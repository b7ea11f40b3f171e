import type { ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../api/hooks.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { setPreferences, usePreferences } from '../parts/preferences.ts';
import { hrefOf, screens, daily, type Screen } from '../screens/index.ts';
import { adding } from '../screens/flow/openers.ts';
import { shell as t } from '../texts/en/shell.ts';
import { useSigningOut } from './signing-out.ts';

/** A dialog of the shell. */
export type Sheet = 'palette' | 'keys' | 'more' | 'unsent' | 'leaving';

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
      <Brand />
      <ul>
        <li className="in-bar">
          <button type="button" className="nav-link add" onClick={adding.open}>
            <Icon name="plus" />
            <span>{t.add}</span>
          </button>
        </li>
        <li>
          <button type="button" className="nav-link" onClick={() => onOpen('palette')}>
            <Icon name="search" />
            <span>{t.find}</span>
            <kbd aria-hidden="true">{t.findKey}</kbd>
          </button>
        </li>
        {screens.map((screen, place) => (
          <li key={screen.path} className={placeOf(place)}>
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

type ScreenLinkProps = Readonly<{ screen: Screen; onFollow?: () => void }>;

/** A link to a screen, marked when it is shown. */
export function ScreenLink({ screen, onFollow }: ScreenLinkProps): ReactElement {
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

/** The name of the product, and of the book. */
function Brand(): ReactElement {
  const { data } = useSession();
  return (
    <div className="brand">
      <Icon name="logo" />
      <p>
        {t.name}
        <bdi className="book-name">{data?.book?.name}</bdi>
      </p>
    </div>
  );
}

function placeOf(place: number): string {
  if (place < inBar) return 'in-bar';
  return place === daily ? 'apart' : '';
}

/** What is needed rarely, in words. */
function Foot({ onOpen }: { readonly onOpen: (sheet: Sheet) => void }): ReactElement {
  const { isPrivate } = usePreferences();
  const leave = useSigningOut(onOpen);
  return (
    <div className="navigation-foot">
      <Button look="quiet" onClick={() => setPreferences({ isPrivate: !isPrivate })}>
        {isPrivate ? t.showAmounts : t.hideAmounts}
      </Button>
      <Button look="quiet" onClick={() => onOpen('keys')}>
        {t.keys}
      </Button>
      <Button look="quiet" onClick={() => onOpen('more')}>
        {t.more}
      </Button>
      <Button look="quiet" onClick={leave}>
        {t.signOut}
      </Button>
    </div>
  );
}
