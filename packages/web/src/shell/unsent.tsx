import { useState, type ReactElement } from 'react';
import { useConnection } from '../api/hooks.ts';
import { unsent } from '../api/unsent.ts';
import { useUnsent } from '../api/use-unsent.ts';
import { formatDate } from '../books/formats/dates.ts';
import { canBeSent, type UnsentEntry } from '../books/rows/unsent.ts';
import { Button } from '../parts/button.tsx';
import { Money } from '../parts/money.tsx';
import { Dialog } from '../parts/overlays/dialog.tsx';
import { usePreferences } from '../parts/preferences.ts';
import { transactionTexts } from '../texts/en/transactions.ts';
import { unsentTexts as t } from '../texts/en/unsent.ts';
import { useLeaving } from './signing-out.ts';

/** What was typed and is not stored by the server yet. */
export function UnsentSheet({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Dialog title={t.title} look="sheet" onClose={onClose}>
      <UnsentList />
    </Dialog>
  );
}

/** The entries that are not sent, each with what can be done. */
export function UnsentList(): ReactElement {
  return (
    <ul className="unsent">
      {useUnsent().map((entry) => (
        <li key={entry.id}>
          <p>
            <b>
              <bdi>{entry.payee ?? transactionTexts.noPayee}</bdi>
            </b>{' '}
            <What {...{ entry }} />
          </p>
          <State {...{ entry }} />
        </li>
      ))}
    </ul>
  );
}

function What({ entry }: { readonly entry: UnsentEntry }): ReactElement {
  const preferences = usePreferences();
  if (entry.kind === 'edit') return <span>{t.edit(fieldsOf(entry.values))}</span>;
  const { amount, currency = '', date } = entry.body;
  return (
    <span>
      {formatDate(date, 'medium', preferences)} ·{' '}
      <Money amount={String(amount)} currency={currency} sign="debit" />
    </span>
  );
}

/** The names of the values that were edited. */
function fieldsOf(values: object): string {
  const names = Object.keys(values).map((name) => t.fields[name] ?? name);
  return [...new Set(names)].join(', ');
}

/** The same with the values that are texts. */
function valuesOf(values: object): string {
  const texts = Object.entries(values).map(([name, value]) => {
    const field = t.fields[name] ?? name;
    return typeof value === 'string' ? t.value(field, value) : field;
  });
  return texts.join(', ');
}

function State({ entry }: { readonly entry: UnsentEntry }): ReactElement {
  const theirs = entry.kind === 'edit' ? entry.theirs : null;
  const discard = (): void => void unsent.discard([entry]);
  const again = (): void => void unsent.again(entry);
  return (
    <>
      <p className={canBeSent(entry) ? 'hint' : 'problem'}>
        {canBeSent(entry) && t.waits}
        {entry.problem !== null && t.refused(entry.problem)}
        {theirs !== null && t.conflict(valuesOf(theirs))}
      </p>
      <div className="actions">
        {!canBeSent(entry) && <Button onClick={again}>{theirs === null ? t.again : t.mine}</Button>}
        <Button look="quiet" onClick={discard}>
          {theirs === null ? t.discard : t.theirs}
        </Button>
      </div>
    </>
  );
}

/** Asks what becomes of entries that are not sent when somebody signs out. */
export function Leaving({ onClose }: { readonly onClose: () => void }): ReactElement {
  const leave = useLeaving();
  const entries = useUnsent();
  const { isOffline } = useConnection();
  const [isBusy, setIsBusy] = useState(false);
  const run = async (prepare: () => Promise<void>): Promise<void> => {
    setIsBusy(true);
    await prepare();
    setIsBusy(false);
    // What the server refuses stays, and says why.
    if (unsent.entries.length === 0) await leave();
  };
  return (
    <Dialog title={t.leaving} onClose={onClose}>
      <p>{t.leavingHint}</p>
      <UnsentList />
      <div className="actions end">
        <Button
          look="danger"
          disabled={isBusy || isOffline}
          onClick={() => void run(() => unsent.discard(entries))}
        >
          {t.discardAll}
        </Button>
        <Button
          look="main"
          autoFocus
          disabled={isBusy || isOffline}
          onClick={() => void run(() => unsent.send())}
        >
          {t.send}
        </Button>
      </div>
    </Dialog>
  );
}
