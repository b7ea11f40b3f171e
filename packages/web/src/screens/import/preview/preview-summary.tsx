import type { ReactElement } from 'react';
import type { ImportPreview } from '../../../api/types.ts';
import { formatDate } from '../../../books/formats/dates.ts';
import { verdicts as all } from '../../../books/imports/import-rows.ts';
import { negate } from '../../../books/formats/money.ts';
import { Money } from '../../../parts/money.tsx';
import { usePreferences } from '../../../parts/preferences.ts';
import { importTexts as t } from '../../../texts/en/import.ts';

/** One line about a file: its rows, its days, its sums, its format. */
export function PreviewSummary({ preview }: { readonly preview: ImportPreview }): ReactElement {
  const { verdicts, first_date, last_date, sums, format } = preview;
  const preferences = usePreferences();
  const count = all.reduce((sum, verdict) => sum + verdicts[verdict], 0);
  const days = [first_date, last_date].flatMap((date) =>
    date === null ? [] : [formatDate(date, 'medium', preferences)],
  );
  return (
    <span className="fact-line">
      <span>{t.rows(count)}</span>
      {days.length > 0 && <span>{[...new Set(days)].join(' – ')}</span>}
      {sums.slice(0, 3).map(({ currency, amount }) => (
        <span key={currency}>
          <Money amount={negate(amount)} currency={currency} sign="debit" />
        </span>
      ))}
      {format !== null && <span>{format.toUpperCase()}</span>}
    </span>
  );
}
