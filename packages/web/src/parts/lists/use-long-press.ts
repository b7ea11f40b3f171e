import { useEffect, useEffectEvent } from 'react';

/** How long a finger stays (ms). */
const heldMs = 500;
/** How far it may move meanwhile (CSS pixels). */
const most = 10;

/** What keeps the menu and the selection of the platform. */
const ownMenus = 'a[href], input, select, textarea, dialog, [popover]';

/** Whether an event is on something that keeps the menu and the selection of the platform. */
export function hasOwnMenu({ target }: Event): boolean {
  return (target as Element).closest(ownMenus) !== null;
}

/**
 * Acts when a finger stays on an element. Android has an event for that, iOS has none. The menu and the click that
 * would follow are prevented. `[data-press]` has styles against the selection of text, at which iOS ends a press.
 */
export function useLongPress(
  find: () => HTMLElement | null | undefined,
  act: (at: MouseEvent) => void,
): void {
  const pressed = useEffectEvent(act);
  const listen = useEffectEvent(() => {
    const element = find();
    return element ? onLongPress(element, (at) => pressed(at)) : undefined;
  });
  useEffect(() => listen(), []);
}

function onLongPress(element: HTMLElement, act: (at: MouseEvent) => void): () => void {
  const ends = new AbortController();
  let timer = 0;
  /** The finger that may stay. */
  let down: PointerEvent | null = null;
  let isTaken = false;
  const end = (): void => {
    clearTimeout(timer);
    down = null;
  };
  const take = (at: MouseEvent): void => {
    clearTimeout(timer);
    isTaken = true;
    act(at);
  };
  element.dataset['press'] = '';
  element.addEventListener(
    'pointerdown',
    (event) => {
      // A second finger ends the press of the first one.
      end();
      isTaken = false;
      if (event.pointerType !== 'touch' || !event.isPrimary || hasOwnMenu(event)) return;
      down = event;
      timer = window.setTimeout(() => take(event), heldMs);
    },
    ends,
  );
  element.addEventListener(
    'pointermove',
    ({ clientX, clientY }) => {
      if (down !== null && Math.hypot(clientX - down.clientX, clientY - down.clientY) > most) end();
    },
    ends,
  );
  element.addEventListener('pointerup', end, ends);
  element.addEventListener('pointercancel', end, ends);
  element.addEventListener(
    'contextmenu',
    (event) => {
      // It may come before the time is over (Android), or when the finger leaves (Windows).
      const isTouch = down !== null || event.pointerType === 'touch';
      if (!isTouch || hasOwnMenu(event)) return;
      event.preventDefault();
      if (!isTaken) take(event);
    },
    ends,
  );
  element.addEventListener('touchend', (event) => isTaken && event.preventDefault(), ends);
  return () => ends.abort();
}
