import { useState, useRef, type ReactElement, type KeyboardEvent } from 'react';
import { useLocation, useParams, useSearchParams } from 'wouter';
import { describeError } from '../../api/errors.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { itemsOf, type RecurringItem, type ItemStatus } from '../../books/recurring/recurring.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Money } from '../../parts/money.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { PageHeader, SectionLinks } from '../../parts/page.tsx';
import { usePreferences, useToday } from '../../parts/preferences.ts';
import { EmptyState } from '../../parts/states.tsx';
import { recurringTexts as t } from '../../texts/en/recurring.ts';
import { WaitingScreen } from '../flow/loaded.tsx';
import { useNames } from '../flow/names.ts';
import { useUndoKey } from '../flow/own-changes.ts';
import { Calendar } from './calendar.tsx';
import { useItemActions, useItems, useRecentMatches } from './data.ts';
import type { Edited, ItemsProps } from './data.ts';
import { ItemDialog } from './item-dialog.tsx';

/** Recurring items as a list, or as the calendar of a month. */
export function Recurring(): ReactElement {
  const { view } = useParams();
  const today = useToday();
  const [edited, setEdited] = useState<Edited>(null);
  const [search, setSearch] = useSearchParams();
  const items = useItems();
  const recent = useRecentMatches(today);
  const names = useNames();
  const actions = useItemActions();
  useUndoKey(actions.undo);
  const fromId = Number(search.get('from') ?? '') || null;
  if (items.data === undefined || recent.data === undefined) {
    const refetch = () => Promise.all([items.refetch(), recent.refetch()]);
    return <WaitingScreen title={t.title} error={items.error ?? recent.error} refetch={refetch} />;
  }
  const all = itemsOf(items.data, recent.data, today);
  const count = (status: string): number =>
    all.filter(({ details }) => details.status === status).length;
  const close = (): void => {
    setEdited(null);
    if (fromId !== null) setSearch({}, { replace: true });
  };
  const shared = { items: all, names, actions, today, onEdit: setEdited };
  return (
    <div className="recurring-screen">
      <PageHeader title={t.title} summary={t.summary(count('reviewed'), count('suggested'))}>
        <Button look="main" icon="plus" onClick={() => setEdited('new')}>
          {t.create}
        </Button>
      </PageHeader>
      <Views />
      {view === 'calendar' ? <Calendar {...shared} /> : <ItemList {...shared} />}
      {(edited !== null || fromId !== null) && (
        <ItemDialog {...{ edited, fromId, names, actions, today }} onClose={close} />
      )}
    </div>
  );
}

function Views(): ReactElement {
  const [path] = useLocation();
  const links = [
    { href: '/recurring', label: t.list },
    { href: '/recurring/calendar', label: t.calendar },
  ];
  const current = path.startsWith('/recurring/calendar') ? links[1] : links[0];
  return <SectionLinks label={t.views} links={links} current={current?.href ?? ''} />;
}

/** The items by state, the next one first. The arrows lead from one to the next. */
function ItemList(props: ItemsProps): ReactElement {
  const { items, onEdit } = props;
  const list = useRef<HTMLDivElement>(null);
  if (items.length === 0)
    return (
      <EmptyState icon="recurring" title={t.empty} hint={t.emptyHint}>
        <Button look="main" icon="plus" onClick={() => onEdit('new')}>
          {t.create}
        </Button>
      </EmptyState>
    );
  const of = (status: string): readonly RecurringItem[] =>
    items.filter(({ details }) => details.status === status);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || list.current === null) return;
    const rows = [...list.current.querySelectorAll<HTMLElement>('.item-name')];
    const at = rows.findIndex((row) => row.closest('li')?.contains(document.activeElement));
    event.preventDefault();
    rows[Math.max(0, Math.min(at + step, rows.length - 1))]?.focus();
  };
  return (
    <div ref={list} className="stack" onKeyDown={move}>
      {(['suggested', 'reviewed', 'dismissed'] as const).map((status) => {
        const rows = of(status);
        if (rows.length === 0) return null;
        return (
          <section key={status} className={`due-items ${status}`}>
            <h2>{t.sections[status]}</h2>
            {status === 'suggested' && <p className="hint">{t.suggestedHint}</p>}
            <ul>
              {rows.map((item) => (
                <ItemRow key={item.details.id} {...props} item={item} />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

/** An item of the list. */
interface ItemRowProps extends ItemsProps {
  readonly item: RecurringItem;
}

/** An item: when it is next, what it is, and what was found of it. */
function ItemRow(props: ItemRowProps): ReactElement {
  const { item, names, onEdit } = props;
  const { hasLetterKeys } = usePreferences();
  const { details, name } = item;
  const { transaction_criteria: criteria, overrides } = details;
  const account = names.accountOf(criteria) ?? t.anyAccount;
  const category = names.categoryOf({ category_id: overrides.category_id ?? null });
  const shown = name === '' ? t.anyPayee : name;
  return (
    <li
      className="due-item"
      onKeyDown={(event) => {
        if (hasLetterKeys) pressLetter(event, props);
      }}
    >
      <NextDate {...props} />
      <div className="item-what">
        <button
          type="button"
          className="item-name"
          aria-label={t.edit(shown)}
          onClick={() => onEdit(item)}
        >
          {shown}
        </button>
        <p className="hint">
          {t.rhythm(criteria.quantity, criteria.granularity)}
          {details.description !== null && details.description !== name && (
            <> · {details.description}</>
          )}
        </p>
      </div>
      <p className="item-where hint">
        {category !== null && <span className="badge">{category}</span>} {account}
      </p>
      <p className="item-amount">
        <Money amount={criteria.amount} currency={criteria.currency} sign="debit" />
        <Found {...props} />
      </p>
      <Decisions {...props} shown={shown} />
    </li>
  );
}

function NextDate({ item, today }: ItemRowProps): ReactElement {
  const preferences = usePreferences();
  const { next } = item;
  if (next === null) return <p className="item-next hint">{t.ended}</p>;
  return (
    <p className="item-next">
      <span className="hidden">{t.next}: </span>
      {next === today ? t.today : formatDate(next, 'weekday', preferences)}
    </p>
  );
}

function Found({ item }: ItemRowProps): ReactElement | null {
  const preferences = usePreferences();
  const { last, missed, details } = item;
  if (details.status !== 'reviewed') return null;
  if (missed !== null)
    return (
      <span className="badge warn">
        <Icon name="warning" /> {t.missing(formatDate(missed, 'medium', preferences))}
      </span>
    );
  return (
    <span className="hint">
      {last === null ? t.never : t.last(formatDate(last, 'medium', preferences))}
    </span>
  );
}

/** Accepts or dismisses an item; a failure is said, and the item stays as it was. */
function decide({ item, actions }: ItemRowProps, status: ItemStatus): void {
  const { details, name } = item;
  const text = status === 'reviewed' ? t.accepted(name) : t.dismissed(name);
  actions.setStatus(details.id, status, text).catch((error: unknown) => {
    showToast({ text: t.failed(name, describeError(error)), look: 'problem' });
  });
}

function Decisions(props: ItemRowProps & { readonly shown: string }): ReactElement {
  const { item, shown } = props;
  const { status } = item.details;
  if (status === 'reviewed') return <div className="item-actions" />;
  const isSuggested = status === 'suggested';
  return (
    <div className="item-actions actions">
      <Button
        icon="check"
        aria-label={isSuggested ? t.acceptNamed(shown) : t.restoreNamed(shown)}
        onClick={() => decide(props, 'reviewed')}
      >
        {isSuggested ? t.accept : t.restore}
      </Button>
      {isSuggested && (
        <Button
          look="quiet"
          aria-label={t.dismissNamed(shown)}
          onClick={() => decide(props, 'dismissed')}
        >
          {t.dismiss}
        </Button>
      )}
    </div>
  );
}

const decisions: Readonly<Record<string, ItemStatus | undefined>> = {
  a: 'reviewed',
  d: 'dismissed',
};

/** On a suggestion, `a` accepts and `d` dismisses. */
function pressLetter(event: KeyboardEvent, props: ItemRowProps): void {
  if (props.item.details.status !== 'suggested') return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const status = decisions[event.key];
  if (status === undefined) return;
  // Elsewhere `a` adds a transaction.
  event.preventDefault();
  decide(props, status);
}
