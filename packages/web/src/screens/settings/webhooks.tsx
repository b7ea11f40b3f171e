import { useState } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../parts/button.tsx';
import { settingsTexts } from '../../texts/en/settings.ts';
import { useCreateWebhook, useWebhooks } from './data.ts';
import { NewSecret, RecordSection } from './record-section.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookLine } from './webhook-line.tsx';

const t = settingsTexts.webhooks;

/** The addresses that changes of the book are sent to. */
export function Webhooks(): ReactElement {
  const webhooks = useWebhooks();
  const [isAdding, setIsAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <RecordSection
      name="webhooks"
      title={settingsTexts.sections.webhooks}
      hint={t.hint}
      action={
        <Button look="main" icon="plus" onClick={() => setIsAdding(true)}>
          {t.add}
        </Button>
      }
      query={webhooks}
      empty={
        <p className="nothing">
          <strong>{t.none}</strong> {t.noneHint}
        </p>
      }
      line={(webhook) => <WebhookLine key={webhook.id} webhook={webhook} onSecret={setSecret} />}
    >
      {isAdding && <AddWebhook onSecret={setSecret} onClose={() => setIsAdding(false)} />}
      {secret !== null && (
        <NewSecret texts={t} label={t.secret} value={secret} onClose={() => setSecret(null)} />
      )}
    </RecordSection>
  );
}

function AddWebhook(props: {
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}): ReactElement {
  const { onSecret, onClose } = props;
  const { mutateAsync } = useCreateWebhook();
  return (
    <WebhookForm
      title={t.add}
      onClose={onClose}
      onSave={async (values) => {
        const { secret } = await mutateAsync(values);
        onClose();
        onSecret(secret);
      }}
    />
  );
}
