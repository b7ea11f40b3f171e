import { useState, type ReactElement } from 'react';
import { useTransaction, useCurrency, usePayees } from '../../api/hooks.ts';
import { draftFrom, draftOf, emptyDraft, type ItemDraft } from '../../books/recurring/draft.ts';
import { Button } from '../../parts/button.tsx';
import { CategoryPicker, Combobox } from '../../parts/fields/combobox.tsx';
import { DateField } from '../../parts/fields/date-field.tsx';
import {
  SelectField,
  TextField,
  AmountField,
  Segments,
  useDraft,
  numberOf,
  optionsOf,
} from '../../parts/fields/fields.tsx';
import type { Draft } from '../../parts/fields/fields.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Skeleton } from '../../parts/states.tsx';
import { itemTexts as t, recurringTexts } from '../../texts/en/recurring.ts';
import type { Names } from '../flow/names.ts';
import { NotDone, useSubmitting } from '../flow/submitting.tsx';
import { latestOf, type ItemActions, type Edited } from './data.ts';

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
  const { edited, fromId, today, onClose } = props;
  const currency = useCurrency();
  const isItem = edited !== null && edited !== 'new';
  const { data: transaction, isError } = useTransaction(isItem ? null : fromId);
  const isWaiting = !isItem && fromId !== null && transaction === undefined && !isError;
  const begun = (): ItemDraft => {
    if (isItem) return draftOf(edited.details);
    return transaction === undefined ? emptyDraft(today, currency) : draftFrom(transaction);
  };
  return (
    <Dialog title={isItem ? t.editTitle : t.newTitle} look="sheet" onClose={onClose}>
      {isWaiting ? <Skeleton lines={6} /> : <ItemForm {...props} begun={begun()} />}
    </Dialog>
  );
}

function ItemForm(props: ItemDialogProps & { readonly begun: ItemDraft }): ReactElement {
  const { edited, names, actions, onClose } = props;
  const form = useDraft(props.begun);
  const { draft } = form;
  const { problem, isBusy, submit } = useSubmitting();
  const id = edited === null || edited === 'new' ? null : edited.details.id;
  const name = draft.shownPayee || draft.payee || draft.description || recurringTexts.anyPayee;
  const save = async (): Promise<void> => {
    if (draft.amount === '') throw new Error(t.missingAmount);
    if (id === null) await actions.create(draft, recurringTexts.created(name));
    else await actions.update(id, draft, recurringTexts.saved(name));
    onClose();
  };
  const remove = async (): Promise<void> => {
    if (id !== null) await actions.remove(id, recurringTexts.removed(name));
    onClose();
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(save);
      }}
    >
      <MatchFields {...form} names={names} isNew={id === null} />
      <RhythmFields {...form} />
      <ShownFields {...form} names={names} />
      <NotDone problem={problem} />
      <div className="actions">
        <Button type="submit" look="main" disabled={isBusy}>
          {id === null ? t.create : t.save}
        </Button>
        {id !== null && (
          <Button look="danger" icon="trash" disabled={isBusy} onClick={() => void submit(remove)}>
            {t.remove}
          </Button>
        )}
      </div>
    </form>
  );
}

/** A part of the form. */
interface FieldsProps extends Draft<ItemDraft> {
  readonly names: Names;
}

/** When transactions are expected. */
function RhythmFields({ draft, change, field }: Draft<ItemDraft>): ReactElement {
  return (
    <div className="field-row">
      <TextField
        label={t.every}
        type="number"
        min={1}
        required
        value={Number.isNaN(draft.quantity) ? '' : draft.quantity}
        onChange={(text) => change({ quantity: numberOf(text) })}
      />
      <SelectField label={t.unit} options={optionsOf(t.units)} {...field('granularity')} />
      <DateField label={t.anchor} required {...field('anchor')} />
    </div>
  );
}

/** What linked transactions show, and for how long the item applies. */
function ShownFields({ draft, change, field, names }: FieldsProps): ReactElement {
  return (
    <>
      <div className="field">
        <span className="label" aria-hidden="true">
          {t.category}
        </span>
        <CategoryPicker
          label={t.category}
          categories={names.categories}
          categoryId={draft.categoryId}
          placeholder={t.keepCategory}
          onChoose={(categoryId) => change({ categoryId })}
        />
      </div>
      <details className="more-fields">
        <summary>{t.more}</summary>
        <div className="stack">
          <TextField label={t.description} {...field('description')} />
          <TextField label={t.shownPayee} {...field('shownPayee')} />
          <TextField label={t.shownNotes} {...field('shownNotes')} />
          <div className="field-row">
            <DateField label={`${t.start} (${t.optional})`} {...field('start')} />
            <DateField label={`${t.end} (${t.optional})`} {...field('end')} />
          </div>
        </div>
      </details>
    </>
  );
}

/** Which transactions an item looks for. */
function MatchFields(props: FieldsProps & { readonly isNew: boolean }): ReactElement {
  const { draft, change, field, names, isNew } = props;
  // A field keeps the text that is typed, so a prefilled amount needs a new field.
  const [fills, setFills] = useState(0);
  const fill = async (payee: string): Promise<void> => {
    change({ payee });
    const latest = isNew ? await latestOf(payee).catch(() => null) : null;
    if (latest === null) return;
    change(draftFrom(latest));
    setFills((count) => count + 1);
  };
  const accounts = [...names.accounts].map(([value, label]) => ({ value, label }));
  return (
    <>
      <PayeeField {...props} onPayee={(payee) => void fill(payee)} />
      <div className="field-row" key={fills}>
        <AmountField
          label={`${t.amount} (${draft.currency.toUpperCase()})`}
          value={draft.amount}
          currency={draft.currency}
          required
          onChange={(amount) => change({ amount: (amount ?? '').replace('-', '') })}
        />
        <AmountField
          label={t.tolerance}
          value={draft.tolerance}
          currency={draft.currency}
          onChange={(tolerance) => change({ tolerance: (tolerance ?? '').replace('-', '') })}
        />
      </div>
      <Segments label={t.direction} options={t.directions} {...field('direction')} />
      <SelectField
        label={t.account}
        options={[{ value: '', label: t.anyAccount }, ...accounts]}
        {...field('account')}
      />
    </>
  );
}

function PayeeField(
  props: FieldsProps & { readonly isNew: boolean; readonly onPayee: (payee: string) => void },
): ReactElement {
  const { draft, change, isNew, onPayee } = props;
  const [typed, setTyped] = useState('');
  const { data: payees = [] } = usePayees(typed, typed !== '');
  return (
    <div className="field">
      <span className="label" aria-hidden="true">
        {t.payee}
      </span>
      <Combobox
        label={t.payee}
        text={draft.payee}
        options={payees.map(({ payee }) => ({ id: payee, name: payee }))}
        hasFocus={isNew}
        onType={(text) => {
          setTyped(text);
          change({ payee: text });
        }}
        onChoose={(option) => onPayee(option?.name ?? '')}
        onOther={(text) => change({ payee: text })}
      />
      {isNew && <p className="hint">{t.payeeHint}</p>}
    </div>
  );
}
