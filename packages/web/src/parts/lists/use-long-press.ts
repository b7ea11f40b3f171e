import { useRef } from 'react';

/** How long a finger stays (ms). */
const heldMs = 500;
/** How far it may move meanwhile (CSS pixels). */
const most = 10;

type Press = Pick<PointerEvent, 'pointerType' | 'clientX' | 'clientY'>;

/** What an element with long presses needs. */
export interface LongPress<E> {
  /** Whether the last press was long; once. */
  readonly taken: () => boolean;
  readonly events: {
    readonly onPointerDown: (event: E) => void;
    readonly onPointerMove: (event: Press) => void;
    readonly onPointerUp: () => void;
    readonly onPointerCancel: () => void;
    readonly onContextMenu: (event: Pick<Event, 'preventDefault'>) => void;
  };
}

/** Acts when a finger stays on something. The click that follows is not one. */
export function useLongPress<E extends Press>(act: (event: E) => void): LongPress<E> {
  const press = useRef({ timer: 0, x: 0, y: 0, isTaken: false });
  const end = (): void => clearTimeout(press.current.timer);
  return {
    taken: (): boolean => {
      const { isTaken } = press.current;
      press.current.isTaken = false;
      return isTaken;
    },
    events: {
      onPointerDown: (event): void => {
        end();
        press.current.isTaken = false;
        if (event.pointerType !== 'touch') return;
        const { clientX: x, clientY: y } = event;
        const timer = window.setTimeout(() => {
          press.current.isTaken = true;
          act(event);
        }, heldMs);
        press.current = { timer, x, y, isTaken: false };
      },
      onPointerMove: ({ clientX, clientY }): void => {
        const { x, y } = press.current;
        if (Math.hypot(clientX - x, clientY - y) > most) end();
      },
      onPointerUp: end,
      onPointerCancel: end,
      onContextMenu: (event): void => {
        // The menu of the platform would open at the same time.
        if (press.current.isTaken) event.preventDefault();
      },
    },
  };
}
