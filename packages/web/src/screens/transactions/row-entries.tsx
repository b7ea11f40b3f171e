import type { ReactElement } from 'react';
import { request } from '../../api/request.ts';
import { isSingle } from '../../books/rows/rows.ts';
import type { Transaction } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import type { MenuAction } from '../../parts/overlays/menu.tsx';
import { entryTexts as t, transactionTexts as list } from '../../texts/en/transactions.ts';
import { making } from '../flow/openers.ts';
import { usePairing, useTransfers } from './transfers.ts';
import { useEditing } from './use-editing.ts';
import type { RowActions } from './use-row-actions.ts';

/** Actions as buttons. */
export function EntryButtons(props: {
  readonly entries: readonly MenuAction[];
}): readonly ReactElement[] {
  return props.entries.map(({ key, label, look = 'usual', icon, run }) => (
    <Button key={key} look={look} {...(icon !== undefined && { icon })} onClick={run}>
      {label}
    </Button>
  ));
}

/** What can be done to one transaction, by the buttons next to it and by its menu. */
export function useRowEntries(
  row: Transaction,
  onSplit: (row: Transaction) => void,
  onClose: () => void,
): readonly MenuAction[] {
  const { remove, attempt, save } = useEditing();
  const transfer = useTransfers([row]).get(row.id);
  const { unpair } = usePairing();
  const isGroup = row.is_group_parent || row.group_parent_id !== null;
  const dissolve = (): void => {
    const path = { id: row.split_parent_id ?? row.group_parent_id ?? row.id };
    const route = isGroup
      ? 'DELETE /v2/transactions/group/{id}'
      : 'DELETE /v2/transactions/split/{id}';
    void attempt(() => request(route, { path }), list.undone);
  };
  const entries: MenuAction[] = [];
  if (row.status !== 'reviewed' && !row.is_pending) {
    const run = (): void => void save([row], () => ({ status: 'reviewed' }));
    entries.push({ key: 'review', label: list.markReviewed, icon: 'check', shortcut: 'e', run });
  }
  if (transfer !== undefined) {
    const run = (): void => unpair(transfer);
    entries.push({ key: 'unpair', label: t.unpair, icon: 'close', shortcut: 'b', run });
  }
  if (!isSingle(row)) {
    const label = isGroup ? t.ungroup : t.unsplit;
    return [...entries, { key: 'dissolve', label, icon: 'undo', run: dissolve }];
  }
  const removeRow = (): void => {
    onClose();
    void remove([row.id]);
  };
  return [
    ...entries,
    { key: 'split', label: t.splitAction, icon: 'split', shortcut: 's', run: () => onSplit(row) },
    { key: 'rule', label: t.makeRule, icon: 'rules', shortcut: 'r', run: () => making.open(row) },
    removeEntry(t.remove, removeRow),
  ];
}

function removeEntry(label: string, run: () => void): MenuAction {
  return { key: 'remove', label, icon: 'trash', look: 'danger', shortcut: 'Delete', run };
}

/** The actions of a list, with those that only it has. */
interface ListActions extends RowActions {
  readonly review: () => void;
  readonly pair: () => void;
  readonly group: () => void;
}

/** The entries that edit a value of what is selected, or of the active row. */
export function editEntries({ edit }: Pick<RowActions, 'edit'>): readonly MenuAction[] {
  const entries = [
    { key: 'category', label: list.setCategory, icon: 'categories', shortcut: 'c' },
    { key: 'tags', label: list.addTag, icon: 'tag', shortcut: 't' },
  ] as const;
  return entries.map((each) => ({ ...each, run: () => edit(each.key) }));
}

/** What can be done to all that is selected, by the bar and by the menu of one of them. */
export function selectionEntries(actions: ListActions): readonly MenuAction[] {
  const rows = [...actions.selected.values()];
  const { review, pair, group, remove } = actions;
  const entries: MenuAction[] = [
    { key: 'review', label: list.review, icon: 'check', shortcut: 'e', run: review },
    ...editEntries(actions),
  ];
  if (rows.length === 2)
    entries.push({ key: 'pair', label: list.pair, icon: 'accounts', shortcut: 'w', run: pair });
  if (rows.length > 1 && rows.every(isSingle))
    entries.push({ key: 'group', label: list.merge, icon: 'group', run: group });
  return [...entries, removeEntry(list.remove, remove)];
}
