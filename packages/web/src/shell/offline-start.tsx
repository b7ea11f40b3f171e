import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState, type ReactElement } from 'react';
import { cacheOfKept } from '../api/kept-names.ts';
import type { LastSession } from '../api/last-session.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState, late } from '../parts/states.tsx';
import { adding, useIsAdding } from '../screens/flow/openers.ts';
import { unsentTexts as t } from '../texts/en/unsent.ts';
import { Sending } from './sending.tsx';
import { UnsentList } from './unsent.tsx';

const NewTransaction = late(
  () => import('../screens/transactions/new-transaction.tsx'),
  'NewTransaction',
);

/** The page while it has never reached the server since it was opened: it takes entries. */
export function OfflineStart({ owner }: LastSession): ReactElement {
  const isAdding = useIsAdding();
  const cache = useQueryClient();
  const [kept] = useState(() => cacheOfKept(owner, cache));
  return (
    <main className="offline-start">
      <EmptyState icon="warning" title={t.offlineTitle} hint={t.offlineHint}>
        <Button look="main" icon="plus" onClick={adding.open}>
          {t.add}
        </Button>
      </EmptyState>
      <UnsentList />
      {/* All of it is shown above. */}
      <div hidden>
        <Sending owner={owner} onShow={() => undefined} />
      </div>
      <QueryClientProvider client={kept}>
        <Suspense>{isAdding && <NewTransaction onClose={adding.close} />}</Suspense>
      </QueryClientProvider>
    </main>
  );
}
