import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { partTexts } from '../../texts/en/parts.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';

/** A short message about what has just happened. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly look: 'usual' | 'problem';
  /** Replaces the message with the same topic, such as that of the change before. */
  readonly topic?: string;
  /** A button, such as "Undo". */
  readonly action?: ToastAction;
  /** What may follow, such as to do the same always. */
  readonly next?: ToastAction | null;
}

/** What a button of a message does. It closes the message. */
interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

/** How long a message stays; problems stay until they are closed. */
const shownMs = 8000;
const most = 3;
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Shows a message. It disappears after a while, unless it is about a problem. */
export function showToast(toast: Omit<Toast, 'id' | 'look'> & Partial<Pick<Toast, 'look'>>): void {
  lastId += 1;
  const id = lastId;
  const others = toasts.filter(({ topic }) => topic === undefined || topic !== toast.topic);
  change([...others.slice(1 - most), { look: 'usual', ...toast, id }]);
  if (toast.look !== 'problem') setTimeout(() => closeToast(id), shownMs);
}

/** Closes a message. */
function closeToast(id: number): void {
  if (toasts.some((toast) => toast.id === id)) change(toasts.filter((toast) => toast.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The messages that are shown, the newest last. */
function useToasts(): readonly Toast[] {
  return useSyncExternalStore(subscribe, () => toasts);
}

/** Where messages appear, which screen readers announce. */
export function ToastRegion({ label }: { readonly label: string }): ReactElement {
  const toasts = useToasts();
  return (
    <section className="toasts" aria-label={label} aria-live="polite">
      {toasts.map(({ id, text, look, action, next }) => (
        <div key={id} className={`toast ${look}`}>
          {look === 'problem' && <Icon name="warning" />}
          <p>{text}</p>
          {[next ?? [], action ?? []].flat().map(({ label: name, run }) => (
            <Button
              key={name}
              look="quiet"
              onClick={() => {
                closeToast(id);
                run();
              }}
            >
              {name}
            </Button>
          ))}
          <Button
            look="quiet"
            icon="close"
            aria-label={partTexts.close}
            onClick={() => closeToast(id)}
          />
        </div>
      ))}
    </section>
  );
}
