import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ApiError, describeError } from '../../api/errors.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { undoVersion } from '../../api/undo.ts';
import { formatDate } from '../../books/formats/dates.ts';
import type { Schemas } from '../../books/types.ts';
import { Segments, SelectField } from '../../parts/fields/fields.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { bookTexts } from '../../texts/en/book.ts';
import { transactionTexts } from '../../texts/en/transactions.ts';
import { currenciesWith } from '../flow/currencies.ts';
import { Loaded } from '../flow/loaded.tsx';
import { Confirmed } from '../flow/submitting.tsx';

const t = bookTexts.change;

type Change = Schemas['CurrencyChange'];
type Outcome = Schemas['CurrencyOutcome'];
type Budgets = NonNullable<Change['budgets']>;

/** Says what another currency of the book means, and changes it as one change. */
export function CurrencyDialog(props: {
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
      const refused = (error: unknown) =>
        showToast({ look: 'problem', text: describeError(error) });
      const run = () => void undoVersion(cache, version).catch(refused);
      const action = { label: transactionTexts.undo, run };
      showToast({ text: t.done(to.toUpperCase()), action });
    } catch (error) {
      setIsSent(false);
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      await preview.refetch();
      throw new Error(t.changed);
    }
  };
  return (
    <Confirmed
      title={t.title}
      confirmLabel={t.title}
      look="main"
      canConfirm={to !== from && data !== undefined && !preview.isFetching}
      work={apply}
      onClose={onClose}
    >
      <p className="hint">{t.intro}</p>
      <SelectField
        label={bookTexts.currency}
        value={to}
        options={currenciesWith(from)}
        onChange={setTo}
      />
      <Segments label={t.budgets} value={budgets} options={t.choices} onChange={setBudgets} />
      {to !== from && (
        <Loaded query={preview} lines={3}>
          {(outcome) => <Consequences outcome={outcome} budgets={budgets} />}
        </Loaded>
      )}
    </Confirmed>
  );
}

function Consequences(props: {
  readonly outcome: Outcome;
  readonly budgets: Budgets;
}): ReactElement {
  const { budgets: choice, outcome } = props;
  const { from, to, records, without_rate: missing, budgets } = outcome;
  const preferences = usePreferences();
  const all = records.reduce((sum, { count }) => sum + count, 0);
  const day = (date: string): string => formatDate(date, 'medium', preferences);
  const daysOf = ({ first_date: first, last_date: last }: Outcome['without_rate'][number]) =>
    first === last ? day(first) : `${day(first)} – ${day(last)}`;
  const change = choice === 'keep' ? t.kept : t.converted;
  return (
    <ul>
      <li>
        <strong>{t.revalued(all)}</strong> {t.undoable}
      </li>
      {budgets.changed > 0 && <li>{change(budgets.changed, to.toUpperCase())}</li>}
      {budgets.left > 0 && <li>{t.left(budgets.left, from.toUpperCase())}</li>}
      {missing.map((each) => (
        <li key={each.currency}>
          {t.missing(each.currency.toUpperCase(), each.count, daysOf(each))}
        </li>
      ))}
    </ul>
  );
}
