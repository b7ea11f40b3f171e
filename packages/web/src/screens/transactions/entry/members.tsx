import type { ReactElement } from 'react';
import { useTransaction } from '../../../api/hooks.ts';
import type { Transaction } from '../../../api/types.ts';
import { Money } from '../../../parts/money.tsx';
import { entryTexts as t, transactionTexts as list } from '../../../texts/en/transactions.ts';
import type { Names } from '../list/use-names.ts';

/** The parts of the split that a transaction belongs to, or the members of a group. */
export function Members({
  row,
  names,
}: {
  readonly row: Transaction;
  readonly names: Names;
}): ReactElement | null {
  const parentId = row.split_parent_id;
  const { data: parent } = useTransaction(parentId);
  const children = (parentId === null ? row : parent)?.children ?? [];
  if (children.length === 0) return null;
  return (
    <section>
      <h3>{row.is_group_parent ? t.members : t.parts}</h3>
      <ul className="members">
        {children.map((child) => (
          <li key={child.id} aria-current={child.id === row.id ? 'true' : undefined}>
            <bdi>{names.categoryOf(child) ?? child.payee}</bdi>
            <Money amount={child.amount} currency={child.currency} sign="debit" />
            {child.notes !== null && <small>{child.notes}</small>}
            {names.categoryOf(child) === null && <small>{list.noCategory}</small>}
          </li>
        ))}
      </ul>
    </section>
  );
}
