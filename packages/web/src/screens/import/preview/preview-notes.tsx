import type { ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import type { ImportPreview } from '../../../api/types.ts';
import { decideDoubtful, keepsAllDoubtful } from '../../../books/imports/import-rows.ts';
import type { Decisions } from '../../../books/imports/import-rows.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { importTexts as t } from '../../../texts/en/import.ts';

/** What a person should know before the import, or decide. */
export interface PreviewNotesProps {
  readonly preview: ImportPreview;
  readonly decisions: Decisions;
  readonly onDecide: (decisions: Decisions) => void;
}

/** Notes about doubtful and bad rows, about records that are created, and the warnings of the reader. */
export function PreviewNotes(props: PreviewNotesProps): ReactElement | null {
  const { preview, decisions, onDecide } = props;
  const { verdicts, warnings, without_rate: withoutRate } = preview;
  const { accounts_created: accounts, categories_created: categories } = preview;
  const keepsDoubtful = keepsAllDoubtful(preview, decisions);
  const created = t.creates(accounts, categories, preview.tags_created);
  const notes = [
    ...(preview.imported === 0 && verdicts.bad === 0 ? [t.nothingHint] : []),
    ...(created === '' ? [] : [created]),
    ...(withoutRate > 0 ? [t.withoutRate(withoutRate)] : []),
    ...warnings.map(({ line, text }) =>
      line === null ? t.warning(text) : `${t.line} ${line}: ${t.warning(text)}`,
    ),
    ...preview.left_out.map(({ what, count }) => `${t.leftOutLines}: ${count} ${what}`),
  ];
  return (
    <div className="stack">
      {verdicts.doubtful > 0 && (
        <Note icon="info" text={t.doubtfulTitle(verdicts.doubtful)}>
          <Choice
            isChosen={keepsDoubtful === true}
            label={t.keepDoubtful}
            onChoose={() => onDecide(decideDoubtful(true, decisions))}
          />
          <Choice
            isChosen={keepsDoubtful === false}
            label={t.skipDoubtful}
            onChoose={() => onDecide(decideDoubtful(false, decisions))}
          />
        </Note>
      )}
      {verdicts.bad > 0 && <BadNote count={verdicts.bad} />}
      {notes.length > 0 && (
        <ul className="preview-notes">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function BadNote({ count }: { readonly count: number }): ReactElement {
  const [, setSearch] = useSearchParams();
  return (
    <Note icon="warning" text={t.badTitle(count)}>
      <Button onClick={() => setSearch({ show: 'bad' }, { replace: true })}>{t.showBad}</Button>
    </Note>
  );
}

function Note(props: {
  readonly icon: 'info' | 'warning';
  readonly text: string;
  readonly children: React.ReactNode;
}): ReactElement {
  return (
    <div className="notice card-notice">
      <Icon name={props.icon} />
      <p>{props.text}</p>
      <div className="actions">{props.children}</div>
    </div>
  );
}

function Choice(props: {
  readonly isChosen: boolean;
  readonly label: string;
  readonly onChoose: () => void;
}): ReactElement {
  const { isChosen, label, onChoose } = props;
  return (
    <Button aria-pressed={isChosen} onClick={onChoose} {...(isChosen && { icon: 'check' })}>
      {label}
    </Button>
  );
}
