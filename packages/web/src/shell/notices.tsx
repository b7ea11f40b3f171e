import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useConnection } from '../api/hooks.ts';
import { Icon } from '../parts/icon.tsx';
import { shell as t } from '../texts/en/shell.ts';

const tickMs = 1000;

/** Says at the top of the page why requests wait. */
export function Notices(): ReactElement {
  const { isOffline, waitingUntilMs } = useConnection();
  return (
    <div role="status">
      {isOffline && (
        <p className="notice">
          <Icon name="warning" />
          {t.offline}
        </p>
      )}
      {waitingUntilMs !== null && !isOffline && <Countdown untilMs={waitingUntilMs} />}
    </div>
  );
}

function Countdown({ untilMs }: { readonly untilMs: number }): ReactElement {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="notice">
      <Icon name="info" />
      {t.waiting(Math.max(1, Math.ceil((untilMs - nowMs) / 1000)))}
    </p>
  );
}
