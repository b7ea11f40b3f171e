import type { ReactElement } from 'react';
import { browserOf } from '../../books/formats/browsers.ts';
import { formatTime } from '../../books/formats/dates.ts';
import { Button } from '../../parts/button.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { showToast } from '../../parts/overlays/toasts.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { useSubmitting } from '../flow/submitting.tsx';
import { useEndSessions, useSessions } from './data.ts';
import type { Session } from './data.ts';
import { RecordSection } from './record-section.tsx';

const t = settingsTexts.sessions;

/** The browsers that are signed in; all but this one can be ended. */
export function Sessions(): ReactElement {
  const sessions = useSessions();
  const { mutateAsync } = useEndSessions();
  const { problem, isBusy, submit } = useSubmitting();
  const others = (sessions.data ?? []).filter((session) => !session.is_current);
  const end = (ids: readonly number[], done: string): void =>
    void submit(async () => {
      await mutateAsync(ids);
      showToast({ text: done });
    });
  const endOthers = (): void =>
    end(
      others.map(({ id }) => id),
      t.othersEnded,
    );
  return (
    <RecordSection
      name="sessions"
      title={t.title}
      hint={t.hint}
      action={
        others.length > 0 && (
          <Button look="danger" disabled={isBusy} onClick={endOthers}>
            {t.endOthers}
          </Button>
        )
      }
      note={problem !== null && <p className="problem">{problem}</p>}
      query={sessions}
      empty={null}
      line={(session) => (
        <SessionLine key={session.id} session={session} onEnd={() => end([session.id], t.ended)} />
      )}
    />
  );
}

function SessionLine(props: {
  readonly session: Session;
  readonly onEnd: () => void;
}): ReactElement {
  const { session, onEnd } = props;
  const preferences = usePreferences();
  const browser = browserOf(session.user_agent) ?? t.unknown;
  const since = formatTime(session.created_at, preferences);
  return (
    <li>
      <div>
        <p className="record-name" title={session.user_agent ?? undefined}>
          {browser}
          {session.is_current && <span className="badge good">{t.here}</span>}
        </p>
        <p className="hint">
          {t.line(t.methods[session.method], since)} ·{' '}
          {t.seen(formatTime(session.last_seen_at, preferences))}
        </p>
      </div>
      {!session.is_current && (
        <Button aria-label={t.endLabel(browser)} onClick={onEnd}>
          {t.end}
        </Button>
      )}
    </li>
  );
}
