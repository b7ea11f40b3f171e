import { useEffect, useId, useRef, useState } from 'react';
import type { ReactElement, KeyboardEvent, ReactNode } from 'react';
import { Link } from 'wouter';
import type { Period } from '@coffer/core/budget-periods';
import { isSome, usedShare } from '../../books/budget/budget.ts';
import { periodHref } from '../../books/filter/filter.ts';
import type { BudgetRow, BudgetTotals, Uncategorized } from '../../books/budget/budget.ts';
import type { CellPlace } from '../../books/budget/sheet.ts';
import type { Look } from '../../books/looks.ts';
import { parseTypedAmount } from '../../books/formats/money.ts';
import { CategoryMark } from '../../parts/category-mark.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { budgetTexts as t } from '../../texts/en/budget.ts';
import { sourceOf, typedOf, type Source, type SheetActions } from './sheet-actions.ts';

/** The sheet of a period. */
export interface SheetProps {
  readonly rows: readonly BudgetRow[];
  readonly period: Period;
  readonly currency: string;
  readonly uncategorized: Uncategorized | undefined;
  readonly actions: SheetActions;
  /** Shows the period some steps later or earlier, if there is one. */
  readonly turn: (step: -1 | 1) => void;
}

/** Which cell of the sheet has the focus, and what keys do. */
export interface SheetFocus {
  /** The cell to which Tab leads. */
  readonly place: CellPlace;
  readonly isAt: (rowId: number, column: number) => boolean;
  readonly at: (rowId: number, column: number) => void;
  readonly press: (event: KeyboardEvent) => void;
  /** Moves the focus from an editor some rows on. */
  readonly moveFrom: (rowId: number, rows: number) => void;
  /** Gives the focus back to the cell, if nothing else has taken it. */
  readonly restore: () => void;
}

/** A part of the sheet. */
export interface SectionProps extends SheetProps {
  readonly kind: 'income' | 'spending';
  readonly focus: SheetFocus;
  readonly totals: BudgetTotals;
}

/** A line of the sheet. */
export interface LineProps extends SectionProps {
  readonly row: BudgetRow;
  readonly look: Look | undefined;
}

/** A category or group: what is budgeted, spent, left and expected. */
export function Line(props: LineProps): ReactElement {
  const { row, currency, focus, period, kind } = props;
  const { id, name, activity } = row;
  const look = row.isGroup ? 'is-group' : row.isMember ? 'is-member' : 'is-single';
  const spent = kind === 'income' ? t.columns.received : t.columns.spent;
  return (
    <tr role="row" className={`budget-line ${look}`}>
      <th role="rowheader" scope="row" className="line-name">
        <CategoryMark name={name} look={props.look} />
        {name}
      </th>
      <BudgetCell {...props} />
      <td role="gridcell" className="end spent" data-label={spent}>
        <ActivityLink
          categoryId={id}
          amount={activity}
          period={period}
          cell={`${id}:1`}
          isTabStop={focus.isAt(id, 1)}
          onFocus={() => focus.at(id, 1)}
        >
          <Money amount={activity} currency={currency} hasCurrency={false} />
        </ActivityLink>
      </td>
      <Left {...props} />
      <RecurringCell {...row} currency={currency} />
    </tr>
  );
}

function Left({ row, currency, kind }: LineProps): ReactElement {
  const label = kind === 'income' ? t.columns.missing : t.columns.left;
  const share = usedShare(row);
  if (row.left === null || share === null)
    return <td role="gridcell" className="end left is-none" data-label={label} />;
  const isOver = kind === 'spending' && row.left.startsWith('-');
  const percent = Math.round(share * 100);
  return (
    <td role="gridcell" className={isOver ? 'end left over' : 'end left'} data-label={label}>
      <span className="left-line">
        <span>
          {isOver && <span className="over-mark">{t.over} </span>}
          <Money
            amount={isOver ? row.left.slice(1) : row.left}
            currency={currency}
            hasCurrency={false}
            isRounded={row.carried !== null}
          />
        </span>
        <span className="used-bar" aria-hidden="true">
          <span style={{ inlineSize: `${Math.min(percent, 100)}%` }} />
        </span>
      </span>
      <span className="hidden">{t.used(percent)}</span>
      {isSome(row.carried ?? '') && (
        <span className="carried hint">
          <Money
            amount={row.carried!}
            currency={currency}
            hasCurrency={false}
            isRounded
            sign="change"
          />{' '}
          {t.carried}
        </span>
      )}
    </td>
  );
}

/** What recurring items expect, and what of it is still to come. */
export function RecurringCell(
  props: Pick<BudgetRow, 'expected' | 'remaining'> & { readonly currency: string },
): ReactElement {
  const { expected, remaining, currency } = props;
  const hasRest = isSome(remaining) && remaining !== expected;
  return (
    <td role="gridcell" className="end recurring" data-label={t.columns.recurring}>
      {isSome(expected) && <Money amount={expected} currency={currency} hasCurrency={false} />}
      {hasRest && (
        <span className="hint">
          <Money amount={remaining} currency={currency} hasCurrency={false} /> {t.toCome}
        </span>
      )}
    </td>
  );
}

/** The cell of a budget: a button that shows it, or the field that edits it. */
function BudgetCell(props: LineProps): ReactElement {
  const { row, actions, focus } = props;
  const { id, name, canBudget } = row;
  const isTabStop = focus.isAt(id, 0);
  const refused = actions.refused.get(id);
  const isEdited = actions.edited?.id === id;
  return (
    <td role="gridcell" className="end budgeted" data-label={t.columns.budgeted}>
      {isEdited && <BudgetEditor {...props} />}
      {!isEdited && !canBudget && (
        <span className="budget-cell" data-cell={`${id}:0`} tabIndex={isTabStop ? 0 : -1}>
          <span aria-hidden="true">–</span>
          <span className="hidden">{t.notBudgeted}</span>
        </span>
      )}
      {!isEdited && canBudget && (
        <button
          type="button"
          className={`budget-cell ${actions.saving.has(id) ? 'saving' : ''} ${refused === undefined ? '' : 'refused'}`}
          data-cell={`${id}:0`}
          tabIndex={isTabStop ? 0 : -1}
          title={refused}
          onFocus={() => focus.at(id, 0)}
          onClick={() => actions.edit(id)}
        >
          <span className="hidden">{t.edit(name)}: </span>
          {refused !== undefined && <Icon name="warning" />}
          <Shown {...props} />
          {actions.saving.has(id) && <span className="hidden"> {t.saving}</span>}
        </button>
      )}
    </td>
  );
}

/** The budget that counts; what comes from members is lighter, and another currency is named. */
function Shown({ row, currency }: LineProps): ReactElement {
  const { own, budgeted } = row;
  if (budgeted === null && own === null)
    return (
      <>
        <span aria-hidden="true" className="unset">
          +
        </span>
        <span className="hidden">{t.none}</span>
      </>
    );
  const isForeign = own !== null && own.currency !== currency;
  const isSum = own === null || (row.isGroup && isSome(budgeted ?? '') && own.amount !== budgeted);
  return (
    <>
      <span className={isSum && !isForeign ? 'sum' : undefined}>
        <Money amount={budgeted ?? '0.0000'} currency={currency} hasCurrency={false} />
      </span>
      {isSum && !isForeign && <span className="hidden"> {t.fromMembers}</span>}
      {isForeign && (
        <span className="hint">
          <Money amount={own.amount} currency={own.currency} />
        </span>
      )}
    </>
  );
}

/** The field that edits a budget, with what can be copied into it. */
function BudgetEditor(props: LineProps): ReactElement {
  const { row, actions } = props;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const { text, setText, problem, commit, press, close } = useTyped(props);
  const hasText = actions.edited?.text !== null;
  useEffect(() => {
    field.current?.focus();
    // A text that was begun with is continued; a present value is replaced by typing.
    if (!hasText) field.current?.select();
  }, [hasText]);
  return (
    <div className="editor">
      <input
        ref={field}
        className="input end"
        inputMode="decimal"
        autoComplete="off"
        enterKeyHint="next"
        aria-label={t.edit(row.name)}
        aria-invalid={problem === null ? undefined : true}
        aria-describedby={problem === null ? undefined : id}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
        onKeyDown={press}
        onBlur={() => commit(0, false)}
      />
      <div className="editor-more">
        {problem !== null && (
          <p className="problem" id={id} role="alert">
            {problem}
          </p>
        )}
        <Copies {...props} onAct={close} />
      </div>
    </div>
  );
}

/** What is typed, and how it is committed: with the number of rows to move on. */
function useTyped({ row, actions, focus }: LineProps) {
  const { locale } = usePreferences();
  const own = row.own;
  const shown = own === null ? '' : typedOf(own, locale);
  const begun = actions.edited?.text ?? shown;
  const [text, setText] = useState(begun);
  const [problem, setProblem] = useState<string | null>(null);
  // The field loses the focus when it closes, which must not commit again.
  const isDone = useRef(false);
  const commit = (rows: number, movesFocus: boolean): void => {
    if (isDone.current) return;
    const amount = parseTypedAmount(text, locale);
    if (amount === null && text.trim() !== '') {
      setProblem(t.invalid(text));
      return;
    }
    isDone.current = true;
    if (movesFocus) focus.moveFrom(row.id, rows);
    else actions.edit(null);
    if (text !== shown) actions.save(row, amount);
  };
  const press = (event: KeyboardEvent): void => {
    const rows = stepOf(event);
    if (rows === null && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    if (rows === null) {
      isDone.current = true;
      focus.moveFrom(row.id, 0);
    } else commit(rows, true);
  };
  const close = (): void => {
    isDone.current = true;
  };
  return { text, problem, commit, press, setText, close };
}

/** How many rows a key moves on when it commits; null for keys that do not commit. */
function stepOf({ key, shiftKey }: KeyboardEvent): number | null {
  if (key === 'ArrowDown') return 1;
  if (key === 'ArrowUp') return -1;
  if (key !== 'Enter' && key !== 'Tab') return null;
  return shiftKey ? -1 : 1;
}

/** Buttons that copy, for mouse and touch; keys do the same outside the field. */
function Copies(props: LineProps & { readonly onAct: () => void }): ReactElement {
  const { row, actions, focus, currency, onAct } = props;
  const sources: readonly [Source, string][] = [
    ['previous', t.copyPrevious],
    ['average', t.copyAverage],
  ];
  const act = (run: () => void): void => {
    onAct();
    focus.moveFrom(row.id, 0);
    run();
  };
  return (
    <div className="copies" onPointerDown={(event) => event.preventDefault()}>
      {sources.map(([source, label]) => {
        const budget = sourceOf(row, source, currency);
        if (budget === null) return null;
        return (
          <button
            key={source}
            type="button"
            tabIndex={-1}
            onClick={() => act(() => actions.copy(row, source))}
          >
            {label} <Money {...budget} />
          </button>
        );
      })}
      {row.own !== null && (
        <button type="button" tabIndex={-1} onClick={() => act(() => actions.save(row, null))}>
          {t.clear}
        </button>
      )}
    </div>
  );
}

/** A link to the transactions of a category in a period. */
export function ActivityLink(props: {
  /** 0 for those without a category. */
  readonly categoryId: number;
  readonly period: Period;
  readonly amount: string;
  readonly children: ReactNode;
  readonly cell?: string;
  readonly isTabStop?: boolean;
  readonly onFocus?: () => void;
}): ReactElement {
  const { categoryId, period, amount, children, cell, isTabStop = false, onFocus } = props;
  const counts = categoryId === 0 ? 'outflow' : 'posted';
  return (
    <Link
      href={periodHref(period, { categoryIds: [categoryId], counts })}
      className={isSome(amount) ? 'budget-activity' : 'budget-activity is-zero'}
      data-cell={cell}
      tabIndex={cell === undefined || isTabStop ? 0 : -1}
      onFocus={onFocus}
    >
      {children}
    </Link>
  );
}
