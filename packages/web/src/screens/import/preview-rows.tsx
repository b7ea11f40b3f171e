import { memo, useCallback, useState, type ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import { formatDate } from '../../books/formats/dates.ts';
import { negate } from '../../books/formats/money.ts';
import { isChoosable, isImported, turn, verdicts } from '../../books/imports/rows.ts';
import type { Decisions, Verdict } from '../../books/imports/rows.ts';
import type { RowRange } from '../../books/rows/rows.ts';
import type { ImportPreview, ImportPreviewRow } from '../../books/types.ts';
import { Icon } from '../../parts/icon.tsx';
import { WindowList } from '../../parts/lists/window-list.tsx';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { importTexts as t } from '../../texts/en/import.ts';
import { wholeNumber } from '../../texts/plural.ts';
import { useRows } from './data.ts';

const sizes = { table: 2.25, cards: 3.75, cardsBelow: 37.5 };

/** All rows of the file, or those with one verdict, in a window. Space turns the current row around. */
export function PreviewRows(props: {
  readonly preview: ImportPreview;
  readonly decisions: Decisions;
  readonly onDecide: (decisions: Decisions) => void;
}): ReactElement {
  const { preview, decisions, onDecide } = props;
  const { id, verdicts: counts } = preview;
  const [search, setSearch] = useSearchParams();
  const given = search.get('show');
  const shown = verdicts.find((verdict) => verdict === given && counts[verdict] > 0) ?? null;
  const count =
    shown === null ? verdicts.reduce((sum, each) => sum + counts[each], 0) : counts[shown];
  const [range, setRange] = useState<RowRange>({ first: 0, end: 50 });
  const rowAt = useRows(id, shown, range);
  const turnAt = (place: number): void => {
    const row = rowAt(place);
    if (row !== undefined) onDecide(turn(row, decisions));
  };
  const choose = (verdict: Verdict | null): void =>
    setSearch(verdict === null ? {} : { show: verdict }, { replace: true });
  return (
    <section className="stack" aria-labelledby="rows-title">
      <h2 id="rows-title" className="hidden">
        {t.rowsLabel}
      </h2>
      <Verdicts preview={preview} shown={shown} onChoose={choose} />
      <WindowList
        key={shown ?? 'all'}
        label={t.rowsLabel}
        className="preview-rows"
        rowCount={count}
        sizes={sizes}
        head={<Head />}
        onRange={useCallback((next: RowRange) => setRange(next), [])}
        onTurn={turnAt}
        row={(place) => {
          const row = rowAt(place);
          if (row === undefined) return <span className="skeleton" role="gridcell" />;
          return <Row row={row} isKept={isImported(row, decisions)} />;
        }}
      />
    </section>
  );
}

/** The verdicts with their counts, to show the rows of one. */
function Verdicts(props: {
  readonly preview: ImportPreview;
  readonly shown: Verdict | null;
  readonly onChoose: (verdict: Verdict | null) => void;
}): ReactElement {
  const { preview, shown, onChoose } = props;
  const counts = preview.verdicts;
  const offered = verdicts.filter((verdict) => counts[verdict] > 0);
  const all = verdicts.reduce((sum, verdict) => sum + counts[verdict], 0);
  return (
    <fieldset className="segments">
      <legend className="hidden">{t.filter}</legend>
      {([null, ...offered] as const).map((verdict) => (
        <label key={verdict ?? 'all'} title={verdict === null ? undefined : t.verdictHint[verdict]}>
          <input
            type="radio"
            name="verdict"
            checked={shown === verdict}
            onChange={() => onChoose(verdict)}
          />
          <span className="verdict-choice">
            {verdict === null ? t.all : t.verdict[verdict]}{' '}
            {wholeNumber(verdict === null ? all : counts[verdict])}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Head(): ReactElement {
  return (
    <>
      <span role="columnheader" className="kept">
        <span className="hidden">{t.isImported}</span>
      </span>
      {columns.map(([name, title]) => (
        <span key={name} role="columnheader" className={name}>
          {title}
        </span>
      ))}
    </>
  );
}

const columns = [
  ['date', t.date],
  ['payee', t.payee],
  ['account', t.account],
  ['verdict', t.verdictColumn],
  ['amount end', t.amount],
] as const;

interface RowProps {
  readonly row: ImportPreviewRow;
  readonly isKept: boolean;
}

const Row = memo(function Row({ row, isKept }: RowProps): ReactElement {
  const { date, amount, currency, payee, account, verdict, why } = row;
  const preferences = usePreferences();
  return (
    <>
      <span role="gridcell" className={`kept ${isChoosable(row) ? '' : 'fixed'}`}>
        <span className={isKept ? 'box full' : 'box'}>{isKept && <Icon name="check" />}</span>
        <span className="hidden">{isKept ? t.isImported : t.leftOut}</span>
      </span>
      <span role="gridcell" className="date">
        {date === null ? `${t.line} ${row.line}` : formatDate(date, 'medium', preferences)}
      </span>
      {payee === null && why !== null ? (
        <span role="gridcell" className="payee reason" aria-colspan={2} title={why}>
          {why}
        </span>
      ) : (
        <>
          <span
            role="gridcell"
            className={`payee ${isKept ? '' : 'out'}`}
            title={payee ?? undefined}
          >
            {payee}
          </span>
          <span role="gridcell" className="account" title={account ?? undefined}>
            {account}
          </span>
        </>
      )}
      <span role="gridcell" className="verdict">
        <span className={`kind-badge ${verdict}`}>{t.verdict[verdict]}</span>
        {payee !== null && why !== null && (
          <span className="why" title={why}>
            {why}
          </span>
        )}
      </span>
      <span role="gridcell" className="amount end">
        {amount !== null && (
          <Money amount={negate(amount)} currency={currency ?? ''} sign="debit" />
        )}
      </span>
    </>
  );
});
