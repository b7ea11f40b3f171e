import { useQueryClient, keepPreviousData } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { basePath } from '../api/request.ts';
import { Button } from '../parts/button.tsx';
import { Combobox, type Option } from '../parts/fields/combobox.tsx';
import { CheckField, Segments } from '../parts/fields/fields.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Dialog } from '../parts/overlays/dialog.tsx';
import { setPreferences, usePreferences } from '../parts/preferences.ts';
import { hrefOf, screens } from '../screens/index.ts';
import { adding } from '../screens/flow/openers.ts';
import { SignInForm } from '../screens/sign-in/sign-in-form.tsx';
import { keySheet } from '../texts/en/keys.ts';
import { shell as t } from '../texts/en/shell.ts';
import { signInTexts } from '../texts/en/sign-in.ts';
import { newRowTexts, transactionTexts } from '../texts/en/transactions.ts';
import { inBar, ScreenLink, type SheetProps } from './navigation.tsx';
import { usePayees, useRead } from '../api/hooks.ts';
import { keys } from '../api/keys.ts';
import { noFilter, searchedIn, transactionsHref, type Filter } from '../books/filter/filter.ts';
import { withNamed } from '../books/filter/tokens.ts';
import { formatDate } from '../books/formats/dates.ts';
import { useNames } from '../screens/flow/names.ts';
import { useSigningOut } from './signing-out.ts';

const kinds = transactionTexts.suggested;

/** An entry of the palette. */
interface Entry extends Option {
  readonly run: () => void;
}

/** Goes to a screen, a record or a transaction, or runs an action, by some letters and Enter (Ctrl-K). */
export function Palette({ onOpen, onClose }: SheetProps): ReactElement {
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const { isPrivate } = usePreferences();
  const actions: readonly Entry[] = [
    { ...named('plus', newRowTexts.title), run: adding.open },
    ...screens.map((screen) => ({
      ...named(screen.icon, screen.label),
      run: () => navigate(hrefOf(screen)),
    })),
    {
      ...named(isPrivate ? 'eye' : 'eye-off', isPrivate ? t.showAmounts : t.hideAmounts),
      run: () => setPreferences({ isPrivate: !isPrivate }),
    },
    { ...named('keyboard', t.keys), run: () => onOpen('keys') },
  ];
  const records = useRecords(typed.trim(), navigate);
  return (
    <Dialog title={t.palette} look="top" onClose={onClose}>
      <Combobox
        label={t.palette}
        placeholder={t.palettePlaceholder}
        options={[...actions, ...records]}
        hasFocus
        isListFixed
        nothing={t.paletteNothing}
        onType={setTyped}
        onCancel={onClose}
        onChoose={(action) => {
          onClose();
          action?.run();
        }}
      />
    </Dialog>
  );
}

/** Fewer letters find too much. */
const leastLetters = 2;

/** The records that a text finds, and the search for it: none for fewer than two letters. */
function useRecords(text: string, navigate: (path: string) => void): readonly Entry[] {
  const names = useNames();
  const format = usePreferences();
  const isOn = text.length >= leastLetters;
  const { words } = searchedIn(text);
  const { data: payees = [] } = usePayees(words, isOn);
  const { data: found } = useRead(keys.transactions, 'GET /coffer/transactions', {
    query: { q: words, limit: 5, include_pending: true },
    enabled: isOn,
    placeholderData: keepPreviousData,
  });
  if (!isOn) return [];
  const to = (filter: Partial<Filter>) => () => navigate(transactionsHref(filter));
  const categories = names.categories.filter(({ archived }) => !archived);
  return [
    ...categories.map(({ id, name }) => ({
      ...entry(`category-${id}`, 'categories', name, kinds.category),
      run: to({ categoryIds: [id] }),
    })),
    ...[...names.accounts].map(([key, name]) => ({
      ...entry(`account-${key}`, 'accounts', name, kinds.account),
      run: to(withNamed(noFilter, 'account', key)),
    })),
    ...names.tags.map(({ id, name }) => ({
      ...entry(`tag-${id}`, 'tag', name, kinds.tag),
      run: to({ tagIds: [id] }),
    })),
    ...payees.map(({ payee }, at) => ({
      ...entry(`payee-${at}`, 'transactions', payee, kinds.payee),
      run: to({ payee }),
    })),
    ...(found?.transactions ?? []).map(({ id, payee, date, notes }) => ({
      ...entry(`row-${id}`, 'transactions', payee, formatDate(date, 'medium', format), notes),
      run: () => navigate(`/transactions/${id}`),
    })),
    { ...entry('text', 'search', t.search(text)), run: to({ text }) },
  ];
}

function entry(id: string, icon: IconName, name: string, kind?: string, words?: string | null) {
  const content = (
    <>
      <Icon name={icon} /> <bdi>{name}</bdi>
      {kind !== undefined && <span className="context">{kind}</span>}
    </>
  );
  return { id, name, content, context: words ?? '' };
}

function named(icon: IconName, name: string) {
  return entry(icon, icon, name);
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
  const leave = useSigningOut(onOpen);
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
        <Button icon="search" onClick={() => onOpen('palette')}>
          {t.find}
        </Button>
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
        <Button icon="sign-out" onClick={leave}>
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
