import { useState, type ReactElement, type ReactNode } from 'react';
import { Link, useParams, useLocation } from 'wouter';
import { useCategories, useRead, useSession } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { periodAt, formatPeriod, nameOf, periodBeside } from '../../books/budget/budget-periods.ts';
import type { Period } from '@coffer/core/budget-periods';
import {
  isUsed,
  rowsOf,
  isSome,
  totalsOf,
  toBudgetOf,
  uncategorizedOf,
  usedShare,
} from '../../books/budget/budget.ts';
import type { BudgetRow, BudgetCategory, Uncategorized } from '../../books/budget/budget.ts';
import { formatMoney } from '../../books/formats/money.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { optionsOf } from '../../parts/fields/fields.tsx';
import { Money } from '../../parts/money.tsx';
import { Menu, type MenuAction } from '../../parts/overlays/menu.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { usePreferences, useToday } from '../../parts/preferences.ts';
import { EmptyState } from '../../parts/states.tsx';
import {
  budgetSettingsTexts as settingsTexts,
  budgetTexts as t,
  moveTexts,
} from '../../texts/en/budget.ts';
import { FormDialog } from '../flow/form-dialog.tsx';
import { WaitingScreen } from '../flow/loaded.tsx';
import { showFailure, useOwnChanges, useUndoKey } from '../flow/own-changes.ts';
import { useBudgetSummary, useCarried, type BudgetSummary, type BudgetSettings } from './data.ts';
import type { SheetProps } from './line.tsx';
import { useSheetActions, sourceOf, type SheetActions, type Source } from './sheet-actions.ts';
import { Sheet } from './sheet.tsx';

/** The budget of one period, which the URL names. */
export function Budget(): ReactElement {
  const settings = useRead(keys.budgets, 'GET /v2/budgets/settings', {});
  if (settings.data !== undefined) return <NamedPeriod settings={settings.data} />;
  return <WaitingScreen title={t.title} {...settings} />;
}

function NamedPeriod({ settings }: { readonly settings: BudgetSettings }): ReactElement {
  const { period: named = '' } = useParams();
  const today = useToday();
  const period = periodAt(settings, named, today);
  const { data: session } = useSession();
  const categories = useCategories();
  const summary = useBudgetSummary(period);
  const carried = useCarried(period);
  const currency = session?.book?.primary_currency ?? '';
  if (!categories.data || !summary.data || !carried.data) {
    const refetch = () => Promise.all([categories.refetch(), summary.refetch(), carried.refetch()]);
    return (
      <WaitingScreen
        title={t.title}
        error={categories.error ?? summary.error ?? carried.error}
        refetch={refetch}
      />
    );
  }
  const { isPlaceholderData: isStale } = summary;
  const book = { settings, period, today, currency, isStale };
  return (
    <PeriodView
      {...book}
      categories={categories.data}
      summary={summary.data}
      carried={carried.data}
    />
  );
}

/** A period of the budget with all that it shows. */
interface PeriodViewProps {
  readonly settings: BudgetSettings;
  readonly period: Period;
  readonly today: string;
  /** The primary currency of the book. */
  readonly currency: string;
  /** Whether the summary is still that of another period. */
  readonly isStale: boolean;
  readonly categories: readonly BudgetCategory[];
  readonly summary: BudgetSummary;
  readonly carried: ReadonlyMap<number, string>;
}

/** A period: its sums, and the sheet with a line for each category. */
function PeriodView(props: PeriodViewProps): ReactElement {
  const { settings, period, currency, categories, summary, carried, isStale } = props;
  const preferences = usePreferences();
  const turn = useTurn(settings, period);
  const rows = rowsOf(categories, summary.categories, carried);
  const hidden = settings.budget_hide_no_activity ? rows.filter((row) => !isUsed(row)) : [];
  const [showsUnused, setShowsUnused] = useState(false);
  const [hasSettings, setHasSettings] = useState(false);
  const [moved, setMoved] = useState<BudgetRow | null>(null);
  const shown = showsUnused ? rows : rows.filter((row) => !hidden.includes(row));
  const outflow = summary.totals?.outflow;
  const uncategorized =
    outflow === undefined ? undefined : uncategorizedOf(outflow, summary.categories, categories);
  const actions = useSheetActions({ period, currency, rows: shown });
  useUndoKey(actions.undo);
  const rule = t.rule(settings.budget_period_quantity, settings.budget_period_granularity);
  const label = formatPeriod(period, preferences);
  const isFresh = !rows.some(({ own }) => own !== null);
  return (
    <div className={isStale ? 'budget stale' : 'budget'}>
      <PageHeader title={`${t.title}: ${label}`} summary={rule}>
        <PeriodBar {...props} turn={turn} />
        <PeriodMenu
          rows={shown}
          actions={actions}
          onSettings={() => setHasSettings(true)}
          onMove={setMoved}
        />
      </PageHeader>
      {rows.length === 0 ? (
        <NoCategories />
      ) : (
        <>
          <Figures {...props} rows={rows} uncategorized={uncategorized} />
          {isFresh && !isStale && <FreshPeriod label={label} rows={shown} actions={actions} />}
          <Sheet
            {...{ period, currency, actions, turn, rows: shown }}
            uncategorized={uncategorized}
          />
          {hidden.length > 0 && (
            <Button look="quiet" onClick={() => setShowsUnused(!showsUnused)}>
              {showsUnused ? t.hideUnused : t.showUnused(hidden.length)}
            </Button>
          )}
        </>
      )}
      {moved !== null && (
        <MoveDialog {...{ rows, period, currency }} from={moved} onClose={() => setMoved(null)} />
      )}
      {hasSettings && <SettingsDialog settings={settings} onClose={() => setHasSettings(false)} />}
    </div>
  );
}

function NoCategories(): ReactElement {
  return (
    <EmptyState icon="budget" title={t.empty} hint={t.emptyHint}>
      <LinkButton href="/categories" look="main" label={t.toCategories} />
      <LinkButton href="/import" label={t.toImport} />
    </EmptyState>
  );
}

/** What a period without a budget offers to begin with. */
function FreshPeriod(props: {
  readonly label: string;
  readonly rows: readonly BudgetRow[];
  readonly actions: SheetActions;
}): ReactElement {
  const { label, rows, actions } = props;
  const has = (source: Source): boolean => rows.some((row) => sourceOf(row, source, '') !== null);
  const sources = (['previous', 'average'] as const).filter(has);
  const labels = { previous: t.fillPrevious, average: t.fillAverage };
  return (
    <section className="card fresh">
      <div>
        <h2>{t.fresh(label)}</h2>
        <p className="hint">{t.freshHint}</p>
      </div>
      <div className="actions">
        {sources.map((source) => (
          <Button key={source} onClick={() => void actions.fill(source)}>
            {labels[source]}
          </Button>
        ))}
      </div>
    </section>
  );
}

/** The sums of a period, the most important one first. */
function Figures(
  props: PeriodViewProps & {
    readonly rows: readonly BudgetRow[];
    readonly uncategorized: Uncategorized | undefined;
  },
): ReactElement {
  const { rows, summary, settings, currency, period, uncategorized } = props;
  const spending = totalsOf(
    rows.filter(({ isIncome }) => !isIncome),
    uncategorized,
  );
  const income = totalsOf(rows.filter(({ isIncome }) => isIncome));
  const pool = settings.budget_rollover_left_to_budget ? poolBefore(summary, period.start) : null;
  const option = settings.budget_income_option;
  const toBudget = toBudgetOf({ option, income, spending, pool });
  const money = (amount: string): ReactElement => (
    <Money amount={amount} currency={currency} isRounded />
  );
  const isOver = spending.left.startsWith('-');
  const share = Math.min(usedShare(spending) ?? 0, 1);
  return (
    <section className="budget-figures" aria-label={t.figures}>
      <Figure
        label={isOver ? t.overspent : t.left}
        look={isOver ? 'over' : ''}
        amount={money(isOver ? spending.left.slice(1) : spending.left)}
      >
        <span className={isOver ? 'used-bar over' : 'used-bar'} aria-hidden="true">
          <span style={{ inlineSize: `${share * 100}%` }} />
        </span>
        {t.spentOf} {money(spending.activity)} {t.of} {money(spending.budgeted)}
        {isSome(spending.carried) && (
          <>
            {' · '}
            <Money amount={spending.carried} currency={currency} isRounded sign="change" />{' '}
            {t.carried}
          </>
        )}
      </Figure>
      <Figure label={t.income} amount={money(income.activity)}>
        {isSome(income.expected) && (
          <>
            {t.columns.recurring}: {money(income.expected)}
          </>
        )}
      </Figure>
      <Figure
        label={toBudget.startsWith('-') ? t.overBudget : t.toBudget}
        amount={money(toBudget.replace('-', ''))}
      >
        {pool !== null && (
          <>
            {money(pool)} {t.pool}
          </>
        )}
      </Figure>
      <Figure
        label={t.stillComing}
        amount={<Link href="/recurring">{money(spending.remaining)}</Link>}
      />
    </section>
  );
}

function Figure(props: {
  readonly label: string;
  readonly amount: ReactNode;
  readonly look?: string;
  readonly children?: ReactNode;
}): ReactElement {
  const { label, amount, look = '', children } = props;
  return (
    <div className={`budget-figure ${look}`}>
      <h2>{label}</h2>
      <p className="figure-amount">{amount}</p>
      {children !== undefined && <p className="hint">{children}</p>}
    </div>
  );
}

/** What the periods before a day have left to budget. */
function poolBefore({ rollover_pool: pool }: PeriodViewProps['summary'], start: string): string {
  const last = pool?.all_adjustments.find(({ date }) => date < start);
  return last?.amount ?? '0.0000';
}

/** Returns what shows another period, in the URL. */
function useTurn(settings: BudgetSettings, period: Period): SheetProps['turn'] {
  const [, go] = useLocation();
  return (step) => {
    const next = periodBeside(settings, period, step);
    if (next !== null) go(`/budget/${nameOf(next)}`, { replace: true });
  };
}

/** The buttons that show other periods. */
function PeriodBar(props: {
  readonly settings: BudgetSettings;
  readonly period: Period;
  readonly today: string;
  readonly turn: SheetProps['turn'];
}): ReactElement {
  const { settings, period, today, turn } = props;
  const [, go] = useLocation();
  const current = periodAt(settings, '', today);
  const isCurrent = current.start === period.start;
  return (
    <div className="period-bar">
      <Button icon="chevron-left" aria-label={t.before} onClick={() => turn(-1)} />
      <Button disabled={isCurrent} onClick={() => go(`/budget/${nameOf(current)}`)}>
        {t.current}
      </Button>
      <Button icon="chevron-right" aria-label={t.after} onClick={() => turn(1)} />
    </div>
  );
}

/** The actions of a period, and those of the row that has the focus. */
function PeriodMenu(props: {
  readonly rows: readonly BudgetRow[];
  readonly actions: SheetActions;
  readonly onSettings: () => void;
  /** Opens the dialog that moves money from the budget of a row. */
  readonly onMove: (row: BudgetRow) => void;
}): ReactElement {
  const { rows, actions, onSettings, onMove } = props;
  const row = rows.find(({ id }) => id === actions.activeId);
  const rollover = useRollover();
  const ofRow: readonly MenuAction[] =
    row?.canBudget === true ? [...rowActions(row, actions), ...rollover(row)] : [];
  const first = rows.find(({ own, isIncome }) => own !== null && !isIncome);
  const from = row?.canBudget === true && !row.isIncome ? row : first;
  const all: readonly MenuAction[] = [
    ...ofRow,
    ...(from === undefined ? [] : [{ key: 'move', label: t.move, run: () => onMove(from) }]),
    { key: 'fill', label: t.fillPrevious, run: () => void actions.fill('previous') },
    { key: 'averages', label: t.fillAverage, run: () => void actions.fill('average') },
    { key: 'undo', label: t.undo, shortcut: 'U', run: () => void actions.undo() },
    { key: 'settings', label: t.settings, run: onSettings },
  ];
  return <Menu label={t.actions} actions={all} />;
}

/** Returns what turns the rollover of a row on or off; nothing for rows that cannot carry over. */
function useRollover(): (row: BudgetRow) => readonly MenuAction[] {
  const { change } = useOwnChanges(keys.budgets);
  return (row) => {
    if (row.isGroup || row.isIncome) return [];
    const isOn = row.carried !== null;
    const [label, done] = isOn ? [t.carryNot, t.carriesNot] : [t.carry, t.carries];
    const sent = { path: { id: row.id }, body: { rollover: !isOn } };
    const write = () => request('PUT /coffer/category_settings/{id}', sent);
    const save = () => change(write, done(row.name));
    return [
      {
        key: 'row-rollover',
        label: `${row.name}: ${label}`,
        run: () => void save().catch(showFailure),
      },
    ];
  };
}

function rowActions(row: BudgetRow, actions: SheetActions): readonly MenuAction[] {
  const named = (text: string): string => `${row.name}: ${text}`;
  const copy = (source: 'previous' | 'average') => () => actions.copy(row, source);
  return [
    { key: 'row-copy', label: named(t.copyPrevious), shortcut: 'P', run: copy('previous') },
    { key: 'row-average', label: named(t.copyAverage), shortcut: 'A', run: copy('average') },
    {
      key: 'row-clear',
      label: named(t.clear),
      shortcut: 'Del',
      run: () => actions.save(row, null),
    },
  ];
}

interface Move {
  readonly from_category_id: number;
  readonly to_category_id: number;
  readonly amount: string | null;
}

/** Moves money from the budget of a row to another one; to a row that is overspent, from the one that has most left. */
function MoveDialog(props: {
  /** All lines of the budget. */
  readonly rows: readonly BudgetRow[];
  readonly from: BudgetRow;
  readonly period: Period;
  readonly currency: string;
  readonly onClose: () => void;
}): ReactElement {
  const { rows, from, period, currency, onClose } = props;
  const { locale, isPrivate } = usePreferences();
  const { change } = useOwnChanges(keys.budgets);
  const movable = rows.filter(({ isIncome, canBudget }) => !isIncome && canBudget);
  const options = movable.map(({ id, name, left }) => ({
    value: id,
    label:
      left === null || isPrivate
        ? name
        : moveTexts.left(name, formatMoney(left, { locale, currency })),
  }));
  const nameOf = (id: number): string => movable.find((row) => row.id === id)?.name ?? '';
  return (
    <FormDialog<Move>
      title={moveTexts.title}
      schema="BudgetMove"
      label={moveTexts.submit}
      begun={begunWith(from, movable)}
      fields={() => [
        { name: 'from_category_id', label: moveTexts.from, kind: 'choice', options },
        { name: 'to_category_id', label: moveTexts.to, kind: 'choice', options },
        { name: 'amount', label: moveTexts.amount, kind: 'amount', currency },
      ]}
      canSubmit={({ from_category_id: one, to_category_id: other, amount }) =>
        one !== other && amount !== null
      }
      save={({ amount, ...ids }) => {
        const body = { ...ids, amount: amount ?? '0', start_date: period.start };
        return change(
          () => request('POST /coffer/budgets/move', { body }),
          moveTexts.moved(nameOf(ids.from_category_id), nameOf(ids.to_category_id)),
        );
      }}
      onClose={onClose}
    />
  );
}

function begunWith(row: BudgetRow, movable: readonly BudgetRow[]): Move {
  const others = movable.filter(({ id, isGroup }) => id !== row.id && !isGroup);
  const other = others.toSorted((a, b) => Number(b.left ?? 0) - Number(a.left ?? 0))[0] ?? row;
  if (row.left?.startsWith('-') === true)
    return { from_category_id: other.id, to_category_id: row.id, amount: row.left.slice(1) };
  return { from_category_id: row.id, to_category_id: other.id, amount: null };
}

type SettingsDialogProps = Readonly<{ settings: BudgetSettings; onClose: () => void }>;

/** How long periods are, and which income counts. */
function SettingsDialog({ settings, onClose }: SettingsDialogProps): ReactElement {
  const { change } = useOwnChanges(keys.budgets);
  return (
    <FormDialog
      title={settingsTexts.title}
      look="sheet"
      schema="BudgetSettings"
      begun={settings}
      fields={({ draft }) => [
        [
          { name: 'budget_period_quantity', label: settingsTexts.every, kind: 'number' },
          {
            name: 'budget_period_granularity',
            label: settingsTexts.unit,
            kind: 'choice',
            options: optionsOf(settingsTexts.units),
          },
        ],
        {
          name: 'budget_period_anchor_date',
          label: settingsTexts.anchor,
          hint: settingsTexts.anchorHint,
          kind: 'date',
        },
        draft.budget_period_granularity === 'month' && {
          name: 'budget_use_last_day_of_month',
          label: settingsTexts.lastDay,
          kind: 'check',
        },
        <p key="kept" className="hint">
          {settingsTexts.kept}
        </p>,
        {
          name: 'budget_income_option',
          label: settingsTexts.income,
          kind: 'choice',
          options: optionsOf(settingsTexts.incomes),
        },
        [
          { name: 'budget_rollover_left_to_budget', label: settingsTexts.rollover, kind: 'check' },
          { name: 'budget_hide_no_activity', label: settingsTexts.hide, kind: 'check' },
        ],
      ]}
      save={(body) =>
        change(() => request('PUT /coffer/budget_settings', { body }), settingsTexts.saved)
      }
      onClose={onClose}
    />
  );
}
