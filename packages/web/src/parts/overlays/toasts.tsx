import { useSyncExternalStore, type ReactElement } from 'react';
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

/** Publishes the height of an element as a property of styles, while it is in the page. */
function publishHeight(
  element: HTMLElement | null,
  name: string,
  then?: (element: HTMLElement) => void,
): (() => void) | undefined {
  if (element === null) return undefined;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => {
    style.setProperty(name, `${element.offsetHeight}px`);
    then?.(element);
  });
  observer.observe(element);
  return () => {
    observer.disconnect();
    style.removeProperty(name);
  };
}

/** The ref of a bar at the bottom of a screen: messages appear above it, so that its buttons stay where they are. */
export function bottomBar(bar: HTMLElement | null): (() => void) | undefined {
  return publishHeight(bar, '--bottom-bar');
}

/** Lists end above the messages, pages can be scrolled by their height, and what has the focus is not below them. */
function roomForToasts(element: HTMLElement | null): (() => void) | undefined {
  return publishHeight(element, '--toasts', (region) => {
    const focused = document.activeElement?.getBoundingClientRect();
    const { top, bottom } = region.getBoundingClientRect();
    if (focused !== undefined && focused.bottom > top && focused.top < bottom)
      document.activeElement?.scrollIntoView({ block: 'nearest' });
  });
}

/** Where messages appear, which screen readers announce. They cover nothing: see `roomForToasts`. */
export function ToastRegion({ label }: { readonly label: string }): ReactElement {
  const toasts = useToasts();
  return (
    <section ref={roomForToasts} className="toasts" aria-label={label} aria-live="polite">
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
