import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement, RefObject } from 'react';
import { Icon, type IconName } from '../icon.tsx';
import { hasOwnMenu, useLongPress } from '../lists/use-long-press.ts';
import { placeBelow } from './dialog.tsx';

/** An action of a menu. */
export interface MenuAction {
  readonly key: string;
  readonly label: string;
  readonly icon?: IconName;
  readonly look?: 'usual' | 'danger';
  /** A key that does the same elsewhere. */
  readonly shortcut?: string;
  readonly run: () => void;
}

/** A button with a list of actions. */
export interface MenuProps {
  readonly label: string;
  readonly actions: readonly MenuAction[];
  /** Of the button. */
  readonly tabIndex?: number;
}

/**
 * A menu of actions behind a button with three dots, as in the ARIA patterns: the focus is on an action. It opens below
 * the button; by a secondary click or a long press in the row of the button, or the key for it, where the pointer is.
 */
export function Menu({ label, actions, tabIndex }: MenuProps): ReactElement {
  const [anchor, setAnchor] = useState<DOMRect | null>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const open = (): void => setAnchor(trigger.current!.getBoundingClientRect());
  const close = (): void => {
    trigger.current?.focus();
    setAnchor(null);
  };
  useMenuOfRow(trigger, setAnchor);
  return (
    <>
      <button
        ref={trigger}
        type="button"
        tabIndex={tabIndex}
        className="button quiet bare"
        title={label}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={() => (anchor === null ? open() : setAnchor(null))}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          event.stopPropagation();
          open();
        }}
      >
        <Icon name="more" />
      </button>
      {anchor !== null && (
        <MenuList
          {...{ label, actions, trigger, anchor }}
          onRun={(action) => {
            close();
            action.run();
          }}
          onClose={close}
          onLeave={() => setAnchor(null)}
        />
      )}
    </>
  );
}

/** Opens the menu of the row that has the button where the pointer is. */
function useMenuOfRow(
  trigger: RefObject<HTMLElement | null>,
  open: (anchor: DOMRect) => void,
): void {
  const row = (): HTMLElement | null | undefined =>
    trigger.current?.closest<HTMLElement>('li, [role="row"]');
  const openAt = ({ clientX, clientY }: MouseEvent): void => open(new DOMRect(clientX, clientY));
  useLongPress(row, openAt);
  const listen = useEffectEvent((ends: AbortController): void => {
    row()?.addEventListener(
      'contextmenu',
      (event) => {
        if (event.defaultPrevented || hasOwnMenu(event)) return;
        event.preventDefault();
        openAt(event);
      },
      ends,
    );
  });
  useEffect(() => {
    const ends = new AbortController();
    listen(ends);
    return () => ends.abort();
  }, []);
}

interface MenuListProps extends MenuProps {
  readonly trigger: RefObject<HTMLElement | null>;
  /** What the list is placed at, in the window. */
  readonly anchor: DOMRect;
  readonly onRun: (action: MenuAction) => void;
  /** Closes, and gives the focus back. */
  readonly onClose: () => void;
  /** The focus has gone elsewhere. */
  readonly onLeave: () => void;
}

/** The list, in the top layer. What happens in it is not for the row around it. */
export function MenuList(props: MenuListProps): ReactElement {
  const { label, actions, trigger, anchor, onRun, onClose, onLeave } = props;
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    const element = list.current!;
    element.showPopover();
    placeBelow(element, anchor);
    itemsOf(element)[0]?.focus();
  }, [anchor]);
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    event.stopPropagation();
    const { key, currentTarget } = event;
    const items = itemsOf(currentTarget);
    const at = items.findIndex((item) => item === document.activeElement);
    const next = nextItem(items, at, key);
    if (next !== undefined) next.focus();
    else if (key === 'Enter' || key === ' ') items[at]?.click();
    else if (key === 'Escape' || key === 'Tab') onClose();
    // Tab goes on from the button.
    if (key !== 'Tab') event.preventDefault();
  };
  return (
    <ul
      ref={list}
      className="popover menu"
      role="menu"
      aria-label={label}
      popover="manual"
      onKeyDown={press}
      // A click keeps the focus, so that it does not close the list before it acts.
      onMouseDown={(event) => event.preventDefault()}
      onPointerDown={(event) => event.stopPropagation()}
      onClick={(event) => event.stopPropagation()}
      onFocus={(event) => event.stopPropagation()}
      onBlur={({ currentTarget, relatedTarget }) => {
        const isInside = currentTarget.contains(relatedTarget);
        if (!isInside && relatedTarget !== trigger.current) onLeave();
      }}
    >
      {actions.map((action) => (
        <li
          key={action.key}
          role="menuitem"
          tabIndex={-1}
          className={`menu-item ${action.look ?? 'usual'}`}
          onClick={() => onRun(action)}
          onPointerMove={({ currentTarget }) => currentTarget.focus()}
        >
          {action.icon !== undefined && <Icon name={action.icon} />}
          <span>{action.label}</span>
          {action.shortcut !== undefined && <kbd aria-hidden="true">{action.shortcut}</kbd>}
        </li>
      ))}
    </ul>
  );
}

function itemsOf(list: Element): readonly HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[role="menuitem"]')];
}

/** Where a key leads: arrows go round, and a letter to the next action that begins with it. */
function nextItem(items: readonly HTMLElement[], at: number, key: string): HTMLElement | undefined {
  if (key === 'ArrowDown') return items[(at + 1) % items.length];
  if (key === 'ArrowUp') return items.at(at - 1);
  if (key === 'Home') return items[0];
  if (key === 'End') return items.at(-1);
  if (key.length > 1 || key === ' ') return undefined;
  const letter = key.toLowerCase();
  const later = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return later.find(({ innerText }) => innerText.trim().toLowerCase().startsWith(letter));
}
