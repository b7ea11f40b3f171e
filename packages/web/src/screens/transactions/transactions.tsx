import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { useLocation, useParams, useSearch } from 'wouter';
import { readFilter, writeFilter } from '../../books/filter/filter.ts';
import type { Filter } from '../../books/filter/filter.ts';
import { shell } from '../../texts/en/shell.ts';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import { FilterBar } from './filter-bar.tsx';
import { List } from './list.tsx';

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
