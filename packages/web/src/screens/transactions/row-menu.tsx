import type { ReactElement, RefObject } from 'react';
import type { Transaction } from '../../books/types.ts';
import { MenuList, type MenuAction } from '../../parts/overlays/menu.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import { useRowEntries } from './row-entries.tsx';

/** The menu of a row, where the pointer is. */
export function RowMenu(props: {
  readonly row: Transaction;
  readonly anchor: DOMRect;
  /** What has the focus before and after it. */
  readonly home: RefObject<HTMLElement | null>;
  /** The entries before those of the row. */
  readonly edits: readonly MenuAction[];
  /** The entries of all that is selected, in place of those of the row; null where nothing is. */
  readonly ofSelection: readonly MenuAction[] | null;
  readonly onSplit: (row: Transaction) => void;
  readonly onClose: () => void;
}): ReactElement {
  const { row, anchor, home, edits, ofSelection, onSplit, onClose } = props;
  const { hasLetterKeys } = usePreferences();
  const own = useRowEntries(row, onSplit, onClose);
  const entries = ofSelection ?? [...edits, ...own];
  const close = (): void => {
    home.current?.focus();
    onClose();
  };
  return (
    <MenuList
      label={row.payee === '' ? t.noPayee : row.payee}
      actions={hasLetterKeys ? entries : entries.map(({ shortcut: _key, ...rest }) => rest)}
      trigger={home}
      anchor={anchor}
      onRun={(action) => {
        close();
        action.run();
      }}
      onClose={close}
      onLeave={onClose}
    />
  );
}
