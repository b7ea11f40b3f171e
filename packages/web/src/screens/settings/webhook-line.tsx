import { useState } from 'react';
import type { ReactElement } from 'react';
import { describeError } from '../../api/errors.ts';
import { formatTime } from '../../books/formats/dates.ts';
import { Menu } from '../../parts/overlays/menu.tsx';
import type { MenuAction } from '../../parts/overlays/menu.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { showToast } from '../../parts/overlays/toasts.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { Confirmed } from '../flow/submitting.tsx';
import { useDeleteWebhook, usePing, useRotateSecret, useUpdateWebhook } from './data.ts';
import type { Webhook } from './data.ts';
import { WebhookAttempts } from './webhook-attempts.tsx';
import { WebhookForm } from './webhook-form.tsx';

const t = settingsTexts.webhooks;
const looks = { enabled: 'good', failing: 'warn', disabled: '' } as const;

type Sheet = 'edit' | 'attempts' | 'rotate' | 'remove';

interface WebhookLineProps {
  readonly webhook: Webhook;
  /** Called with a new secret, which is shown once. */
  readonly onSecret: (secret: string) => void;
}

/** A webhook with its state and what can be done with it. */
export function WebhookLine({ webhook, onSecret }: WebhookLineProps): ReactElement {
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const actions = useActions(webhook, setSheet);
  return (
    <li>
      <div>
        <p className="record-name">
          {webhook.url}
          <span className={`badge ${looks[webhook.status]}`}>{t.statuses[webhook.status]}</span>
        </p>
        <Facts webhook={webhook} />
      </div>
      <Menu label={t.more(webhook.url)} actions={actions} />
      <Sheets webhook={webhook} sheet={sheet} onSecret={onSecret} onClose={() => setSheet(null)} />
    </li>
  );
}

function Facts({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const preferences = usePreferences();
  const { description, delivered_at: delivered, disabled, next_attempt_at: next } = webhook;
  const sent =
    delivered === null ? t.neverDelivered : t.delivered(formatTime(delivered, preferences));
  return (
    <>
      <p className="hint">{[description, sent].filter((each) => each !== null).join(' · ')}</p>
      {disabled !== null && disabled.reason !== 'request' && (
        <p className="problem">{disabled.message}</p>
      )}
      {next !== null && (
        <p className="problem">
          {t.failing(String(webhook.failures), formatTime(next, preferences))}
        </p>
      )}
    </>
  );
}

function useActions(webhook: Webhook, open: (sheet: Sheet) => void): MenuAction[] {
  const update = useUpdateWebhook(webhook.id);
  const ping = usePing(webhook.id);
  const isOff = webhook.status === 'disabled';
  const fail = (error: unknown): void => showToast({ text: describeError(error), look: 'problem' });
  const toggle = (): void =>
    update.mutate(
      { enabled: isOff },
      { onSuccess: () => showToast({ text: isOff ? t.enabled : t.disabled }), onError: fail },
    );
  const test = (): void =>
    ping.mutate(undefined, {
      onSuccess: ({ delivered, status, error }) =>
        delivered
          ? showToast({ text: t.testGood(String(status)) })
          : showToast({ text: t.testBad(error ?? String(status)), look: 'problem' }),
      onError: fail,
    });
  return [
    { key: 'test', label: t.test, icon: 'check', run: test },
    { key: 'attempts', label: t.attempts, icon: 'history', run: () => open('attempts') },
    { key: 'edit', label: t.edit, icon: 'edit', run: () => open('edit') },
    { key: 'toggle', label: isOff ? t.enable : t.disable, icon: 'eye-off', run: toggle },
    { key: 'rotate', label: t.rotate, icon: 'recurring', run: () => open('rotate') },
    { key: 'remove', label: t.remove, icon: 'trash', look: 'danger', run: () => open('remove') },
  ];
}

interface SheetsProps extends WebhookLineProps {
  readonly sheet: Sheet | null;
  readonly onClose: () => void;
}

function Sheets({ webhook, sheet, onSecret, onClose }: SheetsProps): ReactElement | null {
  const update = useUpdateWebhook(webhook.id);
  const rotate = useRotateSecret(webhook.id);
  const remove = useDeleteWebhook(webhook.id);
  const save = async (values: Parameters<typeof update.mutateAsync>[0]): Promise<void> => {
    await update.mutateAsync(values);
    onClose();
  };
  const replace = async (): Promise<void> => {
    const { secret } = await rotate.mutateAsync();
    onClose();
    onSecret(secret);
  };
  const leave = async (): Promise<void> => {
    await remove.mutateAsync();
    showToast({ text: t.removed });
  };
  if (sheet === 'edit')
    return <WebhookForm title={t.edit} webhook={webhook} onSave={save} onClose={onClose} />;
  if (sheet === 'attempts') return <WebhookAttempts webhook={webhook} onClose={onClose} />;
  if (sheet === 'rotate')
    return (
      <Confirmed
        title={t.rotate}
        look="main"
        confirmLabel={t.rotate}
        work={replace}
        onClose={onClose}
      >
        <p>{t.rotateText}</p>
      </Confirmed>
    );
  if (sheet === null) return null;
  return (
    <Confirmed title={t.removeTitle} confirmLabel={t.remove} work={leave} onClose={onClose}>
      <p>{t.removeText}</p>
    </Confirmed>
  );
}
