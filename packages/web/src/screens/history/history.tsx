import type { ReactElement } from 'react';
import { useParams, useSearchParams } from 'wouter';
import { EarlierState } from './earlier-state.tsx';
import { GoneChange } from './gone-change.tsx';
import { HistoryList } from './history-list.tsx';
import { OneChange } from './one-change.tsx';

/** Every change of the book, one of them with its records, and the book as it was. */
export function History(): ReactElement {
  const { version } = useParams<{ readonly version?: string }>();
  const [search] = useSearchParams();
  if (version === undefined) return <HistoryList />;
  if (!/^[1-9]\d{0,14}$/.test(version)) return <GoneChange error={null} />;
  if (search.get('view') === 'book')
    return <EarlierState key={version} version={Number(version)} />;
  return <OneChange key={version} version={Number(version)} />;
}
