import { useEffect, useRef, Suspense, useState, type ReactElement, type RefObject } from 'react';
import { useLocation, useParams, useSearch } from 'wouter';
import { useCurrency } from '../../api/hooks.ts';
import { readFilter, writeFilter, isSearchCut, type Filter } from '../../books/filter/filter.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Money } from '../../parts/money.tsx';
import { shell } from '../../texts/en/shell.ts';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import { useNames, type Names } from '../flow/names.ts';
import { useListMonths } from './data.ts';
import { List } from './list.tsx';
import { SearchField } from './search-field.tsx';
import { late } from '../../parts/states.tsx';

/** `/transactions`: the whole history in one list, with its filter in the URL; `/transactions/ID` opens one. */
export function Transactions(): ReactElement {
  const query = writeFilter(readFilter(useSearch()));
  const filter = readFilter(query);
  const { id } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const searchField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = `${t.title} – ${shell.name}`;
  }, []);
  const pathOf = (name: string, text: string): string => name + (text === '' ? '' : `?${text}`);
  const setFilter = (next: Filter): void =>
    navigate(pathOf('/transactions', writeFilter(next)), { replace: true });
  return (
    <div className={`transactions full ${id === undefined ? '' : 'has-entry'}`}>
      <FilterBar filter={filter} searchField={searchField} onFilter={setFilter} />
      <List
        key={query}
        query={query}
        openId={id === undefined ? null : Number(id)}
        onSearch={() => searchField.current?.focus()}
        onFilter={setFilter}
        onOpen={(entry) => navigate(pathOf(`/transactions/${entry}`, query))}
        onClose={() => navigate(pathOf('/transactions', query))}
      />
    </div>
  );
}

const FilterDialog = late(() => import('./filter-dialog.tsx'), 'FilterDialog');

/** Title, search field, the filters that apply, and the number and sum of what they find. */
function FilterBar(props: {
  readonly filter: Filter;
  readonly searchField: RefObject<HTMLInputElement | null>;
  readonly onFilter: (filter: Filter) => void;
}): ReactElement {
  const { filter, searchField, onFilter } = props;
  const currency = useCurrency();
  const [isOpen, setIsOpen] = useState(false);
  const names = useNames();
  const { data: months } = useListMonths(filter);
  return (
    <header className="filter-bar">
      <h1>{t.title}</h1>
      <SearchField {...{ filter, names, onFilter }} field={searchField} />
      <Button icon="filter" onClick={() => setIsOpen(true)}>
        {t.filter}
      </Button>
      <Chips filter={filter} names={names} onFilter={onFilter} />
      <p className="hits" role="status">
        {months !== undefined && (
          <>
            {t.hits(months.count)}
            {' · '}
            <Money amount={months.total} isRounded currency={currency} sign="debit" />
          </>
        )}
        {isSearchCut(filter) && ` · ${t.searchCut}`}
      </p>
      <Suspense>
        {isOpen && (
          <FilterDialog
            filter={filter}
            names={names}
            onFilter={onFilter}
            onClose={() => setIsOpen(false)}
          />
        )}
      </Suspense>
    </header>
  );
}

type ChipsProps = Readonly<{ filter: Filter; names: Names; onFilter: (filter: Filter) => void }>;

/** The filters that apply, each with a way to remove it. */
function Chips({ filter, names, onFilter }: ChipsProps): ReactElement | null {
  const chips = chipsOf(filter, names);
  if (chips.length === 0) return null;
  return (
    <ul className="chips">
      {chips.map(({ label, without }) => (
        <li key={writeFilter(without)}>
          <button type="button" className="chip" onClick={() => onFilter(without)}>
            <bdi>{label}</bdi>
            <Icon name="close" />
            <span className="hidden">{t.clear}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

type Ids = 'categoryIds' | 'tagIds' | 'manualAccountIds' | 'plaidAccountIds';

function chipsOf(filter: Filter, names: Names) {
  const { payee, status, only, counts } = filter;
  const chip = (label: string, part: Partial<Filter>) => ({
    label,
    without: { ...filter, ...part },
  });
  const each = (list: Ids, nameOf: (id: number) => string) =>
    filter[list].map((id) =>
      chip(nameOf(id), { [list]: filter[list].filter((other) => other !== id) }),
    );
  const account = (manual: number | null, plaid: number | null): string =>
    names.accountOf({ manual_account_id: manual, plaid_account_id: plaid }) ?? t.noAccount;
  const tag = (id: number): string =>
    names.tags.find((found) => found.id === id)?.name ?? t.columns.tags;
  return [
    ...(payee === '' ? [] : [chip(payee, { payee: '' })]),
    ...(status === 'all' ? [] : [chip(t.statuses[status], { status: 'all' })]),
    ...(only === 'all' ? [] : [chip(t.kinds[only], { only: 'all' })]),
    ...(counts === 'all' ? [] : [chip(t.counts[counts], { counts: 'all' })]),
    ...each('categoryIds', (id) => names.categoryOf({ category_id: id }) ?? t.noCategory),
    ...each('tagIds', tag),
    ...each('manualAccountIds', (id) => account(id, null)),
    ...each('plaidAccountIds', (id) => account(null, id)),
  ];
}
