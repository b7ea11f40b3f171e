import type { ReactElement } from 'react';
import { formatTime } from '../../books/formats/dates.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { Table } from '../../parts/lists/table.tsx';
import type { Column } from '../../parts/lists/table.tsx';
import { ownChangesTexts } from '../../texts/en/own-changes.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useSubmitting } from '../flow/submitting.tsx';
import { useAttempts, useResend } from './data.ts';
import type { Webhook, WebhookAttempt } from './data.ts';

const t = settingsTexts.webhooks;

/** The log of a webhook: what was sent, and what came back. */
export function WebhookAttempts(props: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}): ReactElement {
  const { webhook, onClose } = props;
  const attempts = useAttempts(webhook.id);
  const resend = useResend(webhook.id);
  const { problem, isBusy, submit } = useSubmitting();
  const columns = useColumns(isBusy, (number) => void submit(() => resend.mutateAsync(number)));
  return (
    <Dialog title={t.attempts} look="wide" closeLabel={ownChangesTexts.close} onClose={onClose}>
      <p className="hint">
        {webhook.url} · {t.attemptsHint}
      </p>
      {problem !== null && <p className="problem">{problem}</p>}
      <Loaded query={attempts}>
        {(all) =>
          all.length === 0 ? (
            <p className="nothing">{t.noAttempts}</p>
          ) : (
            <Table
              label={t.attempts}
              columns={columns}
              rows={all}
              rowKey={({ number }) => number}
            />
          )
        }
      </Loaded>
    </Dialog>
  );
}

function useColumns(isBusy: boolean, resend: (number: number) => void): Column<WebhookAttempt>[] {
  const preferences = usePreferences();
  return [
    {
      key: 'at',
      title: t.when,
      isHeading: true,
      cell: ({ at }) => formatTime(at, preferences),
    },
    { key: 'kind', title: t.kind, cell: ({ kind }) => t.kinds[kind] },
    {
      key: 'outcome',
      title: t.outcome,
      cell: ({ delivered, status, error }) =>
        delivered ? (
          <span className="badge good">
            {t.good} {status}
          </span>
        ) : (
          <span className="problem">{error ?? status}</span>
        ),
    },
    { key: 'took', title: t.took, align: 'end', cell: (each) => `${each.duration_ms} ms` },
    { key: 'changes', title: t.changes, align: 'end', cell: ({ changes }) => changes },
    {
      key: 'resend',
      title: t.resend,
      cell: ({ number, kind }) =>
        kind !== 'ping' && (
          <Button
            look="quiet"
            icon="undo"
            disabled={isBusy}
            aria-label={t.resendLabel(String(number))}
            onClick={() => resend(number)}
          />
        ),
    },
  ];
}
