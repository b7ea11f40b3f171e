import type { ReactElement, ReactNode } from 'react';
import { Button as Trigger } from 'react-aria-components/Button';
import { Menu as List, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';

/** An action of a menu. */
export interface MenuAction {
  readonly key: string;
  readonly label: string;
  readonly icon?: IconName;
  /** Shown at the end of the line. */
  readonly shortcut?: string;
  readonly look?: 'usual' | 'danger';
  readonly run: () => void;
}

/** A button with a list of actions. */
export interface MenuProps {
  readonly label: string;
  /** What the button shows; by default three dots. */
  readonly children?: ReactNode;
  readonly actions: readonly MenuAction[];
}

/** A menu of actions behind a button. */
export function Menu({ label, children, actions }: MenuProps): ReactElement {
  return (
    <MenuTrigger>
      <Trigger className="button quiet" aria-label={label}>
        {children ?? <Icon name="more" />}
      </Trigger>
      <Popover className="popover" placement="bottom end">
        <List
          className="menu"
          aria-label={label}
          onAction={(key) => actions.find((action) => action.key === key)?.run()}
        >
          {actions.map(({ key, label: text, icon, shortcut, look = 'usual' }) => (
            <MenuItem key={key} id={key} className={`menu-item ${look}`} textValue={text}>
              {icon !== undefined && <Icon name={icon} />}
              <span>{text}</span>
              {shortcut !== undefined && <kbd>{shortcut}</kbd>}
            </MenuItem>
          ))}
        </List>
      </Popover>
    </MenuTrigger>
  );
}
