import type { ReactElement } from 'react';
import { useTransaction, useCurrency } from '../../api/hooks.ts';
import { draftFrom, draftOf, emptyDraft, type ItemDraft } from '../../books/recurring/draft.ts';
import { optionsOf } from '../../parts/fields/fields.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Skeleton } from '../../parts/states.tsx';
import { itemTexts as t, recurringTexts } from '../../texts/en/recurring.ts';
import { FormDialog } from '../flow/form-dialog.tsx';
import type { Draft, Row } from '../flow/form.tsx';
import type { Names } from '../flow/names.ts';
import { PayeeField } from '../flow/payee-field.tsx';
import type { ItemActions, Edited } from './data.ts';

/** The dialog of an item. */
export interface ItemDialogProps {
  readonly edited: Edited;
  /** The transaction from which a new item is made; null for none. */
  readonly fromId: number | null;
  readonly names: Names;
  readonly actions: ItemActions;
  readonly today: string;
  readonly onClose: () => void;
}

/** Creates or edits an item. */
export function ItemDialog(props: ItemDialogProps): ReactElement {
  const { edited, fromId, names, actions, today, onClose } = props;
  const currency = useCurrency();
  const details = edited === null || edited === 'new' ? null : edited.details;
  const { data: transaction, isError } = useTransaction(details === null ? fromId : null);
  const title = details === null ? t.newTitle : t.editTitle;
  if (details === null && fromId !== null && transaction === undefined && !isError)
    return (
      <Dialog title={title} look="sheet" onClose={onClose}>
        <Skeleton lines={6} />
      </Dialog>
    );
  const begun = (): ItemDraft => {
    if (details !== null) return draftOf(details);
    return transaction === undefined ? emptyDraft(today, currency) : draftFrom(transaction);
  };
  const remove = (id: number) => () => actions.remove(id, recurringTexts.removed(nameOf(begun())));
  return (
    <FormDialog
      title={title}
      look="sheet"
      label={details === null ? t.create : t.save}
      schema="RecurringItemInsert"
      begun={begun}
      fields={(form) => fieldsOf(form, names, details === null)}
      save={(draft) =>
        details === null
          ? actions.create(draft, recurringTexts.created(nameOf(draft)))
          : actions.update(details.id, draft, recurringTexts.saved(nameOf(draft)))
      }
      other={details === null ? null : { label: t.remove, run: remove(details.id) }}
      onClose={onClose}
    />
  );
}

function nameOf({ shownPayee, payee, description }: ItemDraft): string {
  return shownPayee ?? payee ?? description ?? recurringTexts.anyPayee;
}

/** Which transactions an item looks for, when they are expected, and what they show. */
function fieldsOf(form: Draft<ItemDraft>, names: Names, isNew: boolean): Row<ItemDraft>[] {
  const { currency } = form.draft;
  const accounts = [...names.accounts].map(([value, label]) => ({ value, label }));
  const optional = (label: string): string => `${label} (${t.optional})`;
  return [
    <PayeeField
      key="payee"
      {...form}
      label={t.payee}
      hint={isNew ? t.payeeHint : undefined}
      hasFocus={isNew}
      onLatest={isNew ? (latest) => form.change(draftFrom(latest)) : null}
    />,
    [
      {
        name: 'amount',
        at: 'transaction_criteria/amount',
        label: `${t.amount} (${currency.toUpperCase()})`,
        ...{ kind: 'amount', currency },
      },
      { name: 'amount_tolerance', label: t.tolerance, kind: 'amount', currency },
    ],
    { name: 'direction', label: t.direction, kind: 'segments', options: t.directions },
    {
      name: 'account',
      label: t.account,
      kind: 'choice',
      options: [{ value: '', label: t.anyAccount }, ...accounts],
    },
    [
      {
        name: 'quantity',
        at: 'transaction_criteria/quantity',
        label: t.every,
        kind: 'number',
      },
      { name: 'granularity', label: t.unit, kind: 'choice', options: optionsOf(t.units) },
      {
        name: 'anchor_date',
        at: 'transaction_criteria/anchor_date',
        label: t.anchor,
        kind: 'date',
      },
    ],
    {
      name: 'category_id',
      at: 'overrides/category_id',
      label: t.category,
      kind: 'category',
      categories: names.categories,
      placeholder: t.keepCategory,
    },
    {
      more: t.more,
      rows: [
        { name: 'description', label: t.description },
        { name: 'shownPayee', at: 'overrides/payee', label: t.shownPayee },
        { name: 'shownNotes', at: 'overrides/notes', label: t.shownNotes },
        [
          { name: 'start_date', label: optional(t.start), kind: 'date' },
          { name: 'end_date', label: optional(t.end), kind: 'date' },
        ],
      ],
    },
  ];
}
