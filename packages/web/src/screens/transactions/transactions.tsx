import { useEffect, useRef, lazy, Suspense, useState } from 'react';
import type { ReactElement, RefObject } from 'react';
import { useLocation, useParams, useSearch } from 'wouter';
import { useSession } from '../../api/hooks.ts';
import { readFilter, writeFilter, isSearchCut } from '../../books/filter/filter.ts';
import type { Filter } from '../../books/filter/filter.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Money } from '../../parts/money.tsx';
import { shell } from '../../texts/en/shell.ts';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import { useNames } from '../flow/names.ts';
import type { Names } from '../flow/names.ts';
import { useListMonths } from './data.ts';
import { List } from './list.tsx';
import { SearchField } from './search-field.tsx';

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

const FilterDialog = lazy(async () => ({
  default: (await import('./filter-dialog.tsx')).FilterDialog,
}));

/** Title, search field, the filters that apply, and the number and sum of what they find. */
function FilterBar(props: {
  readonly filter: Filter;
  readonly searchField: RefObject<HTMLInputElement | null>;
  readonly onFilter: (filter: Filter) => void;
}): ReactElement {
  const { filter, searchField, onFilter } = props;
  const { data: session } = useSession();
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
            <Money
              amount={months.total}
              isRounded
              currency={session?.book?.primary_currency ?? ''}
              sign="debit"
            />
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

/** The filters that apply, each with a way to remove it. */
function Chips(props: {
  readonly filter: Filter;
  readonly names: Names;
  readonly onFilter: (filter: Filter) => void;
}): ReactElement | null {
  const { filter, names, onFilter } = props;
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

function chipsOf(filter: Filter, names: Names) {
  const { payee, status, only, categoryIds, tagIds, manualAccountIds, plaidAccountIds } = filter;
  const without = (ids: readonly number[], id: number): number[] =>
    ids.filter((each) => each !== id);
  return [
    ...(payee === '' ? [] : [{ label: payee, without: { ...filter, payee: '' } }]),
    ...(status === 'all'
      ? []
      : [{ label: t.statuses[status], without: { ...filter, status: 'all' as const } }]),
    ...(only === 'all'
      ? []
      : [{ label: t.kinds[only], without: { ...filter, only: 'all' as const } }]),
    ...(filter.counts === 'all'
      ? []
      : [{ label: t.counts[filter.counts], without: { ...filter, counts: 'all' as const } }]),
    ...categoryIds.map((id) => ({
      label: names.categories.find((each) => each.id === id)?.name ?? t.noCategory,
      without: { ...filter, categoryIds: without(categoryIds, id) },
    })),
    ...tagIds.map((id) => ({
      label: names.tags.find((each) => each.id === id)?.name ?? t.columns.tags,
      without: { ...filter, tagIds: without(tagIds, id) },
    })),
    ...manualAccountIds.map((id) => ({
      label: names.accountOf({ manual_account_id: id, plaid_account_id: null }) ?? t.noAccount,
      without: { ...filter, manualAccountIds: without(manualAccountIds, id) },
    })),
    ...plaidAccountIds.map((id) => ({
      label: names.accountOf({ manual_account_id: null, plaid_account_id: id }) ?? t.noAccount,
      without: { ...filter, plaidAccountIds: without(plaidAccountIds, id) },
    })),
  ];
}
