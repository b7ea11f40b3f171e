import type { ReactElement } from 'react';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { closeToast, useToasts } from './toasts.ts';

/** Where messages appear, which screen readers announce. */
export function ToastRegion({ label }: { readonly label: string }): ReactElement {
  const toasts = useToasts();
  return (
    <section className="toasts" aria-label={label} aria-live="polite">
      {toasts.map(({ id, text, look, action }) => (
        <div key={id} className={`toast ${look}`}>
          {look === 'problem' && <Icon name="warning" />}
          <p>{text}</p>
          {action !== undefined && (
            <Button
              look="quiet"
              onClick={() => {
                closeToast(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          )}
          <Button look="quiet" icon="close" aria-label="Close" onClick={() => closeToast(id)} />
        </div>
      ))}
    </section>
  );
}
