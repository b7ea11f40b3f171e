import type { ReactElement } from 'react';
import { targetOf } from '../../api/request.ts';
import { Icon } from '../../parts/icon.tsx';
import { settingsTexts } from '../../texts/en/settings.ts';
import { Backups } from './backups.tsx';

const t = settingsTexts.download;

/** Links that download the book, and how a whole backup is made. */
export function Download(): ReactElement {
  return (
    <>
      <section className="card stack" aria-label={settingsTexts.sections.download}>
        <p>{t.hint}</p>
        <ul className="records">
          <FileLine format="csv" label={t.csv} hint={t.csvHint} />
          <FileLine format="ndjson" label={t.ndjson} hint={t.ndjsonHint} />
        </ul>
        <p className="hint">
          {t.backup} <code>{t.command}</code> {t.backupEnd}
        </p>
      </section>
      <Backups />
    </>
  );
}

function FileLine(props: {
  readonly format: 'csv' | 'ndjson';
  readonly label: string;
  readonly hint: string;
}): ReactElement {
  const { format, label, hint } = props;
  return (
    <li>
      <p className="hint">{hint}</p>
      <a className="button" href={targetOf('/coffer/export', { format })} download>
        <Icon name="download" />
        {label}
      </a>
    </li>
  );
}
