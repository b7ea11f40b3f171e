import { useState } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Secret } from '../../parts/fields/secret.tsx';
import { ownChangesTexts } from '../../texts/en/own-changes.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { Loaded } from '../loaded.tsx';
import { useCreateWebhook, useWebhooks } from './data.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookLine } from './webhook-line.tsx';

const t = settingsTexts.webhooks;

/** The addresses that changes of the book are sent to. */
export function Webhooks(): ReactElement {
  const webhooks = useWebhooks();
  const [isAdding, setIsAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <section className="card stack" aria-labelledby="webhooks">
      <div className="section-head">
        <div>
          <h2 id="webhooks">{settingsTexts.sections.webhooks}</h2>
          <p className="hint">{t.hint}</p>
        </div>
        <Button look="main" icon="plus" onClick={() => setIsAdding(true)}>
          {t.add}
        </Button>
      </div>
      <Loaded query={webhooks} lines={2}>
        {(all) =>
          all.length === 0 ? (
            <p className="nothing">
              <strong>{t.none}</strong> {t.noneHint}
            </p>
          ) : (
            <ul className="records">
              {all.map((webhook) => (
                <WebhookLine key={webhook.id} webhook={webhook} onSecret={setSecret} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding && <AddWebhook onSecret={setSecret} onClose={() => setIsAdding(false)} />}
      {secret !== null && <WebhookSecret secret={secret} onClose={() => setSecret(null)} />}
    </section>
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

function WebhookSecret(props: {
  readonly secret: string;
  readonly onClose: () => void;
}): ReactElement {
  const { secret, onClose } = props;
  return (
    <Dialog title={t.made} closeLabel={ownChangesTexts.close} onClose={onClose}>
      <p>{t.madeHint}</p>
      <Secret label={t.secret} value={secret} texts={ownChangesTexts} />
      <div className="actions end">
        <Button onClick={onClose}>{t.done}</Button>
      </div>
    </Dialog>
  );
}
