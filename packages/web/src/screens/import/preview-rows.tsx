import { memo, useCallback, useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement, ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { formatDate } from '../../books/formats/dates.ts';
import { negate } from '../../books/formats/money.ts';
import { isChoosable, isImported, turn, verdicts } from '../../books/imports/rows.ts';
import type { Decisions, Verdict } from '../../books/imports/rows.ts';
import type { RowRange } from '../../books/rows/rows.ts';
import type { ImportPreview, ImportPreviewRow } from '../../books/types.ts';
import { Icon } from '../../parts/icon.tsx';
import { useWindow } from '../../parts/lists/use-window.ts';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { importTexts as t } from '../../texts/en/import.ts';
import { wholeNumber } from '../../texts/plural.ts';
import { useRows } from './data.ts';

const sizes = { table: 2.25, cards: 3.75, cardsBelow: 37.5 };

/** A preview with what a person has decided about its rows. */
export interface DecidedProps {
  readonly preview: ImportPreview;
  readonly decisions: Decisions;
  readonly onDecide: (decisions: Decisions) => void;
}

/** All rows of the file, or those with one verdict, in a window. Space turns the current row around. */
export function PreviewRows({ preview, decisions, onDecide }: DecidedProps): ReactElement {
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
        rowCount={count}
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

const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  j: 1,
  ArrowUp: -1,
  k: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -Infinity,
  g: -Infinity,
  End: Infinity,
  G: Infinity,
};

/** A grid with a window of rows. One row is current; arrows, `j` and `k` move it, and the screen follows. */
function WindowList(props: {
  readonly rowCount: number;
  /** The cells of a row, `role="gridcell"`. */
  readonly row: (place: number) => ReactNode;
  /** Called when the rows to show have changed. */
  readonly onRange: (range: RowRange) => void;
  /** Called by Space or `x`, and by a click on a row. */
  readonly onTurn: (place: number) => void;
}): ReactElement {
  const { rowCount, row, onRange, onTurn } = props;
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const list = useWindow(rowCount, frame, sizes);
  const [current, setCurrent] = useState(0);
  const { first, end } = list.range;
  useEffect(() => onRange({ first, end }), [onRange, first, end]);
  const place = Math.max(0, Math.min(current, rowCount - 1));
  const press = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    const isTurn = event.key === ' ' || event.key === 'x';
    if (event.ctrlKey || event.metaKey || event.altKey || (step === undefined && !isTurn)) return;
    event.preventDefault();
    if (isTurn) onTurn(place);
    if (step === undefined) return;
    const next = Math.max(0, Math.min(place + step, rowCount - 1));
    setCurrent(next);
    list.show(next);
  };
  return (
    <div
      ref={frame}
      role="grid"
      aria-label={t.rowsLabel}
      aria-rowcount={rowCount}
      aria-activedescendant={rowCount === 0 ? undefined : `${id}-${place}`}
      className="window-list preview-rows"
      tabIndex={0}
      onKeyDown={press}
    >
      <div role="rowgroup" className="window-head">
        <div role="row" className="window-row">
          <Head />
        </div>
      </div>
      <div role="rowgroup" className="window-space" style={{ height: list.scrollHeight }}>
        {Array.from({ length: end - first }, (_, nth) => first + nth).map((at) => (
          <div
            key={at}
            id={`${id}-${at}`}
            role="row"
            aria-rowindex={at + 1}
            aria-selected={at === place}
            className="window-row"
            style={{ height: list.rowHeight, top: list.topOf(at) }}
            onClick={() => {
              setCurrent(at);
              onTurn(at);
            }}
          >
            {row(at)}
          </div>
        ))}
      </div>
    </div>
  );
}
