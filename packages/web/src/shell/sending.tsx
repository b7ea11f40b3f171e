import { useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactElement } from 'react';
import { unsentSenders } from '../api/edits.ts';
import { useConnection, useSession } from '../api/hooks.ts';
import { keepNames } from '../api/kept-names.ts';
import { keys } from '../api/keys.ts';
import { unsent } from '../api/unsent.ts';
import { useUnsent } from '../api/use-unsent.ts';
import { canBeSent, ownerOf } from '../books/rows/unsent.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { showToast } from '../parts/overlays/toasts.tsx';
import { unsentTexts as t } from '../texts/en/unsent.ts';

const changed = [keys.transactions, keys.accounts, keys.payees, keys.budgets];

type SendingProps = Readonly<{ owner: string; onShow: () => void }>;

/**
 * Sends what an owner has typed, as soon as the server can be reached, and says what is not sent. Keeps what the owner
 * needs to type more without a server.
 */
export function Sending({ owner, onShow }: SendingProps): ReactElement | null {
  const cache = useQueryClient();
  useEffect(() => {
    void unsent.begin(owner, unsentSenders, () => {
      showToast({ text: t.arrived, topic: 'unsent' });
      for (const queryKey of changed) void cache.invalidateQueries({ queryKey });
    });
  }, [owner, cache]);
  const { data: session } = useSession();
  const isSignedIn = session !== undefined && ownerOf(session) === owner;
  useEffect(() => (isSignedIn ? keepNames(cache, owner) : undefined), [isSignedIn, owner, cache]);
  const { isOffline } = useConnection();
  const entries = useUnsent();
  const waiting = isOffline ? entries : entries.filter((entry) => !canBeSent(entry));
  if (waiting.length === 0) return null;
  return (
    <p className="notice">
      <Icon name="info" />
      {t.waiting(waiting.length)}
      <Button look="quiet" onClick={onShow}>
        {t.show}
      </Button>
    </p>
  );
}
