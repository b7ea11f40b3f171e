import { useState } from 'react';
import type { ReactElement } from 'react';
import { useLocation, useParams, useSearchParams } from 'wouter';
import { dateAt } from '../../books/formats/dates.ts';
import { itemsOf } from '../../books/recurring/recurring.ts';
import { Button } from '../../parts/button.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { SectionLinks } from '../../parts/page/section-links.tsx';
import { recurringTexts as t } from '../../texts/en/recurring.ts';
import { WaitingScreen } from '../flow/loaded.tsx';
import { useUndoKey } from '../flow/own-changes.ts';
import { Calendar } from './calendar.tsx';
import { useItemActions, useItems, useNames, useRecentMatches } from './data.ts';
import { ItemDialog } from './item-dialog.tsx';
import { ItemList } from './item-list.tsx';
import type { Edited } from './props.ts';

/** Recurring items as a list, or as the calendar of a month. */
export function Recurring(): ReactElement {
  const { view } = useParams();
  const [today] = useState(() => dateAt(Date.now()));
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
