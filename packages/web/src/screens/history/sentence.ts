import type { HistoryEntry } from '../../api/types.ts';
import { describeCounts, operationWords } from '../../books/history/changes.ts';
import { historyTexts as t } from '../../texts/en/history.ts';

/** How many kinds of records a line of the list names before it only counts them. */
const listed = 3;

/** What a change was, as a sentence of one line. */
export function sentenceOf({
  operation,
  counts,
}: Pick<HistoryEntry, 'operation' | 'counts'>): string {
  const counted = describeCounts(counts, t.counts, listed);
  // The operations of v1 are named after those of v2.
  const named = t.operations[operation.replace(/V1$/, '')];
  if (named !== undefined) return named(counted);
  if (counted === '') return operationWords(operation);
  return counted.charAt(0).toUpperCase() + counted.slice(1);
}

/** All that a change did, by kinds of records; null where its sentence says it already. */
export function countsOf(entry: Pick<HistoryEntry, 'operation' | 'counts'>): string | null {
  const counted = describeCounts(entry.counts, t.counts);
  const isSaid = sentenceOf(entry).toLowerCase().includes(counted.toLowerCase());
  return isSaid ? null : `${counted.charAt(0).toUpperCase()}${counted.slice(1)}.`;
}

/** Who made a change. */
export function actorName({ kind, name }: HistoryEntry['actor']): string {
  if (kind === 'command') return t.actors.command;
  if (kind === 'job') return t.actors.job;
  if (name === null) return t.actors.unnamed;
  return kind === 'token' ? t.actors.token(name) : name;
}
