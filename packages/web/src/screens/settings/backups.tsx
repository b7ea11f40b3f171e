import type { ReactElement } from 'react';
import { formatTime } from '../../books/formats/dates.ts';
import { usePreferences } from '../../parts/preferences.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useBackups } from './data.ts';
import type { BackupState } from './data.ts';

const t = settingsTexts.backups;

/** When the server last made a backup, and whether that fails. */
export function Backups(): ReactElement {
  const backups = useBackups();
  return (
    <section className="card stack" aria-labelledby="backups">
      <h2 id="backups">{t.title}</h2>
      <Loaded query={backups} lines={1}>
        {(state) => <State state={state} />}
      </Loaded>
    </section>
  );
}

function State({ state }: { readonly state: BackupState }): ReactElement {
  const preferences = usePreferences();
  const { every_seconds, last_success_at: success, last_failure_at: failure, is_failing } = state;
  if (every_seconds === null) return <p className="hint">{t.none}</p>;
  return (
    <>
      <p>{success === null ? t.noneYet : t.last(formatTime(success, preferences))}</p>
      {is_failing && failure !== null && (
        <p className="problem">{t.failed(formatTime(failure, preferences))}</p>
      )}
    </>
  );
}
