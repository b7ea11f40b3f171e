import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ApiError } from '../../api/errors.ts';
import { useSession } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request, urlOf } from '../../api/request.ts';
import { leave } from '../../api/session.ts';
import { undoVersion } from '../../api/undo.ts';
import { formatDate } from '../../books/formats/dates.ts';
import type { Schemas } from '../../books/types.ts';
import { Segments, SelectField, TextField } from '../../parts/fields/fields.tsx';
import { Icon } from '../../parts/icon.tsx';
import { OpenButton } from '../../parts/overlays/dialog.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { bookTexts } from '../../texts/en/book.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { transactionTexts } from '../../texts/en/transactions.ts';
import { BookFacts } from '../flow/book-facts.tsx';
import { currenciesWith } from '../flow/currencies.ts';
import { Loaded } from '../flow/loaded.tsx';
import { showFailure } from '../flow/own-changes.ts';
import { Confirmed } from '../flow/submitting.tsx';

const t = settingsTexts.book;
const changeTexts = bookTexts.change;

/** The name of the book, its currency, and all of it as a file. */
export function OwnBook(): ReactElement {
  const { data } = useSession();
  const { name = '', primary_currency: currency = '' } = data?.book ?? {};
  const whole = urlOf('GET /coffer/export', { query: { format: 'archive' } });
  return (
    <section className="card stack" aria-label={settingsTexts.sections.book}>
      <ul className="records">
        <li>
          <BookFacts isNameOnly />
        </li>
        <li>
          <p className="hint">{changeTexts.hint}</p>
          <OpenButton
            look="quiet"
            icon="edit"
            dialog={(close) => <CurrencyDialog from={currency} onClose={close} />}
          >
            {changeTexts.title}
          </OpenButton>
        </li>
        <li>
          <p className="hint">{t.wholeHint}</p>
          <a className="button" href={whole} download>
            <Icon name="download" />
            {t.whole}
          </a>
        </li>
        <li>
          <p className="hint">{t.deleteHint}</p>
          <OpenButton look="danger" dialog={(close) => <Deletion name={name} onClose={close} />}>
            {t.delete}
          </OpenButton>
        </li>
      </ul>
    </section>
  );
}

/** Deletes the book, once its name is typed. */
function Deletion(props: { readonly name: string; readonly onClose: () => void }): ReactElement {
  const { name, onClose } = props;
  const cache = useQueryClient();
  const [typed, setTyped] = useState('');
  const remove = async (): Promise<void> => {
    await request('DELETE /coffer/book', { body: { name: typed } });
    leave(cache);
  };
  return (
    <Confirmed
      title={t.delete}
      confirmLabel={t.delete}
      canConfirm={typed === name}
      work={remove}
      onClose={onClose}
    >
      <p>{t.deleteText}</p>
      <TextField label={t.deleteName(name)} value={typed} autoFocus onChange={setTyped} />
    </Confirmed>
  );
}

type Change = Schemas['CurrencyChange'];
type Outcome = Schemas['CurrencyOutcome'];
type Budgets = NonNullable<Change['budgets']>;

/** Says what another currency of the book means, and changes it as one change. */
function CurrencyDialog(props: {
  /** The present one. */
  readonly from: string;
  readonly onClose: () => void;
}): ReactElement {
  const { from, onClose } = props;
  const cache = useQueryClient();
  const [to, setTo] = useState(from);
  const [budgets, setBudgets] = useState<Budgets>('convert');
  // A preview that is read again after the change would be refused.
  const [isSent, setIsSent] = useState(false);
  const body = { primary_currency: to, budgets } as Change;
  const preview = useQuery({
    queryKey: [...keys.settings, 'currency', body],
    queryFn: ({ signal }) => request('POST /coffer/book/currency/preview', { body, signal }),
    enabled: to !== from && !isSent,
    staleTime: 0,
    gcTime: 0,
  });
  const { data } = preview;
  const apply = async (): Promise<void> => {
    setIsSent(true);
    try {
      const sent = { ...body, version: data?.version ?? 0 };
      const { version } = await request('POST /coffer/book/currency', { body: sent });
      await cache.invalidateQueries();
      const run = () => void undoVersion(cache, version).catch(showFailure);
      const action = { label: transactionTexts.undo, run };
      showToast({ text: changeTexts.done(to.toUpperCase()), action });
    } catch (error) {
      setIsSent(false);
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      await preview.refetch();
      throw new Error(changeTexts.changed);
    }
  };
  return (
    <Confirmed
      title={changeTexts.title}
      confirmLabel={changeTexts.title}
      look="main"
      canConfirm={to !== from && data !== undefined && !preview.isFetching}
      work={apply}
      onClose={onClose}
    >
      <p className="hint">{changeTexts.intro}</p>
      <SelectField
        label={bookTexts.currency}
        value={to}
        options={currenciesWith(from)}
        onChange={setTo}
      />
      <Segments
        label={changeTexts.budgets}
        value={budgets}
        options={changeTexts.choices}
        onChange={setBudgets}
      />
      {to !== from && (
        <Loaded query={preview} lines={3}>
          {(outcome) => <Consequences outcome={outcome} budgets={budgets} />}
        </Loaded>
      )}
    </Confirmed>
  );
}

type ConsequencesProps = Readonly<{ outcome: Outcome; budgets: Budgets }>;

function Consequences({ budgets: choice, outcome }: ConsequencesProps): ReactElement {
  const { from, to, records, without_rate: missing, budgets } = outcome;
  const preferences = usePreferences();
  const all = records.reduce((sum, { count }) => sum + count, 0);
  const day = (date: string): string => formatDate(date, 'medium', preferences);
  const daysOf = ({ first_date: first, last_date: last }: Outcome['without_rate'][number]) =>
    first === last ? day(first) : `${day(first)} – ${day(last)}`;
  const change = choice === 'keep' ? changeTexts.kept : changeTexts.converted;
  return (
    <ul>
      <li>
        <strong>{changeTexts.revalued(all)}</strong> {changeTexts.undoable}
      </li>
      {budgets.changed > 0 && <li>{change(budgets.changed, to.toUpperCase())}</li>}
      {budgets.left > 0 && <li>{changeTexts.left(budgets.left, from.toUpperCase())}</li>}
      {missing.map((each) => (
        <li key={each.currency}>
          {changeTexts.missing(each.currency.toUpperCase(), each.count, daysOf(each))}
        </li>
      ))}
    </ul>
  );
}
