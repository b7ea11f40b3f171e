import type { ReactElement } from 'react';

/** The names of the symbols in `styles/icons.svg`. */
export type IconName =
  /** Those of categories, which are stored by their names. */
  | `c-${string}`
  | 'accounts'
  | 'budget'
  | 'calendar'
  | 'categories'
  | 'check'
  | 'chevron-down'
  | 'chevron-left'
  | 'chevron-right'
  | 'close'
  | 'clip'
  | 'download'
  | 'edit'
  | 'eye'
  | 'eye-off'
  | 'filter'
  | 'grip'
  | 'group'
  | 'history'
  | 'import'
  | 'info'
  | 'keyboard'
  | 'logo'
  | 'more'
  | 'overview'
  | 'plus'
  | 'recurring'
  | 'reports'
  | 'review'
  | 'rules'
  | 'search'
  | 'settings'
  | 'sign-out'
  | 'split'
  | 'tag'
  | 'transactions'
  | 'trash'
  | 'undo'
  | 'warning';

/** A symbol of the sprite in the colour of the text. It is hidden from screen readers: label what contains it. */
export function Icon({ name }: { readonly name: IconName }): ReactElement {
  return (
    <svg className="icon" aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}
