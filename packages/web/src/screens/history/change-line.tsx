import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { HistoryEntry } from '../../api/types.ts';
import { clockTime } from '../../books/formats/dates.ts';
import { Button } from '../../parts/button.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { historyTexts as t } from '../../texts/en/history.ts';
import { actorName, sentenceOf } from './sentence.ts';
import type { ChangeUndoing } from './use-undo.tsx';

/** A change in the list. */
export interface ChangeLineProps {
  readonly entry: HistoryEntry;
  readonly undoing: ChangeUndoing;
}

/** One change: when, what, who, and its undo. */
export function ChangeLine({ entry, undoing }: ChangeLineProps): ReactElement {
  const { version, at, actor, undone_by, undoes } = entry;
  const preferences = usePreferences();
  const what = sentenceOf(entry);
  return (
    <article className={undone_by === null ? 'change' : 'change undone'}>
      <time dateTime={at}>{clockTime(at, preferences)}</time>
      <div className="change-what">
        <Link href={`/history/${version}`}>{what}</Link>
        <p className="hint fact-line">
          <span>{actorName(actor)}</span>
          <span>{t.version(version)}</span>
          {undoes !== null && <span>{t.undoes(undoes)}</span>}
          {undone_by !== null && <span className="kind-badge">{t.undoneBy(undone_by)}</span>}
        </p>
      </div>
      {undone_by === null && (
        <Button
          look="quiet"
          icon="undo"
          aria-label={t.undoOf(what, version)}
          disabled={undoing.isPending}
          onClick={() => undoing.undo(version, what)}
        />
      )}
    </article>
  );
}
