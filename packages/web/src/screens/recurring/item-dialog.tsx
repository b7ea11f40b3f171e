import { useState, type ReactElement } from 'react';
import { useTransaction } from '../../api/hooks.ts';
import { draftFrom, draftOf, emptyDraft, type ItemDraft } from '../../books/recurring/draft.ts';
import { Button } from '../../parts/button.tsx';
import { CategoryPicker, Combobox } from '../../parts/fields/combobox.tsx';
import { DateField } from '../../parts/fields/date-field.tsx';
import { SelectField, TextField, AmountField, Segments } from '../../parts/fields/fields.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Skeleton } from '../../parts/states.tsx';
import { ownChangesTexts as own } from '../../texts/en/parts.ts';
import { itemTexts as t, recurringTexts } from '../../texts/en/recurring.ts';
import { NotDone, useSubmitting } from '../flow/submitting.tsx';
import { latestOf, usePayees } from './data.ts';
import type { ItemActions, Names, Edited, DraftProps } from './data.ts';

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
  const { edited, fromId, names, today, onClose } = props;
  const isItem = edited !== null && edited !== 'new';
  const { data: transaction, isError } = useTransaction(isItem ? null : fromId);
  const isWaiting = !isItem && fromId !== null && transaction === undefined && !isError;
  const begun = (): ItemDraft => {
    if (isItem) return draftOf(edited.details);
    return transaction === undefined ? emptyDraft(today, names.currency) : draftFrom(transaction);
  };
  return (
    <Dialog title={isItem ? t.editTitle : t.newTitle} look="sheet" onClose={onClose}>
      {isWaiting ? (
        <Skeleton label={own.loading} lines={6} />
      ) : (
        <ItemForm {...props} begun={begun()} />
      )}
    </Dialog>
  );
}

function ItemForm(props: ItemDialogProps & { readonly begun: ItemDraft }): ReactElement {
  const { edited, names, actions, onClose, begun } = props;
  const [draft, setDraft] = useState(begun);
  const { problem, isBusy, submit } = useSubmitting();
  const id = edited === null || edited === 'new' ? null : edited.details.id;
  const change = (part: Partial<ItemDraft>): void => setDraft((now) => ({ ...now, ...part }));
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
  const part = { draft, names, change };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(save);
      }}
    >
      <MatchFields {...part} isNew={id === null} />
      <RhythmFields {...part} />
      <ShownFields {...part} />
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

/** When transactions are expected. */
function RhythmFields({ draft, change }: DraftProps): ReactElement {
  const units = Object.entries(t.units).map(([value, label]) => ({ value, label }));
  return (
    <div className="field-row">
      <TextField
        label={t.every}
        type="number"
        min={1}
        required
        value={Number.isNaN(draft.quantity) ? '' : draft.quantity}
        onChange={({ currentTarget: { valueAsNumber } }) => change({ quantity: valueAsNumber })}
      />
      <SelectField
        label={t.unit}
        value={draft.granularity}
        options={units}
        onChange={(unit) => change({ granularity: unit as ItemDraft['granularity'] })}
      />
      <DateField
        label={t.anchor}
        required
        date={draft.anchor}
        onDate={(anchor) => change({ anchor })}
      />
    </div>
  );
}

/** What linked transactions show, and for how long the item applies. */
function ShownFields({ draft, names, change }: DraftProps): ReactElement {
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
          <TextField
            label={t.description}
            value={draft.description}
            onChange={({ currentTarget: { value } }) => change({ description: value })}
          />
          <TextField
            label={t.shownPayee}
            value={draft.shownPayee}
            onChange={({ currentTarget: { value } }) => change({ shownPayee: value })}
          />
          <TextField
            label={t.shownNotes}
            value={draft.shownNotes}
            onChange={({ currentTarget: { value } }) => change({ shownNotes: value })}
          />
          <div className="field-row">
            <DateField
              label={`${t.start} (${t.optional})`}
              date={draft.start}
              onDate={(start) => change({ start })}
            />
            <DateField
              label={`${t.end} (${t.optional})`}
              date={draft.end}
              onDate={(end) => change({ end })}
            />
          </div>
        </div>
      </details>
    </>
  );
}

/** Which transactions an item looks for. */
function MatchFields(props: DraftProps & { readonly isNew: boolean }): ReactElement {
  const { draft, names, change, isNew } = props;
  // A field keeps the text that is typed, so a prefilled amount needs a new field.
  const [fills, setFills] = useState(0);
  const fill = async (payee: string): Promise<void> => {
    change({ payee });
    const latest = isNew ? await latestOf(payee).catch(() => null) : null;
    if (latest === null) return;
    change(draftFrom(latest));
    setFills((count) => count + 1);
  };
  const accounts = names.accounts.map(([value, label]) => ({ value, label }));
  return (
    <>
      <PayeeField {...props} onPayee={(payee) => void fill(payee)} />
      <div className="field-row" key={fills}>
        <AmountField
          label={`${t.amount} (${draft.currency.toUpperCase()})`}
          amount={draft.amount}
          currency={draft.currency}
          required
          onAmount={(amount) => change({ amount: (amount ?? '').replace('-', '') })}
        />
        <AmountField
          label={t.tolerance}
          amount={draft.tolerance}
          currency={draft.currency}
          onAmount={(tolerance) => change({ tolerance: (tolerance ?? '').replace('-', '') })}
        />
      </div>
      <Segments
        label={t.direction}
        value={draft.direction}
        options={t.directions}
        onChange={(direction) => change({ direction })}
      />
      <SelectField
        label={t.account}
        value={draft.account}
        options={[{ value: '', label: t.anyAccount }, ...accounts]}
        onChange={(account) => change({ account })}
      />
    </>
  );
}

function PayeeField(
  props: DraftProps & { readonly isNew: boolean; readonly onPayee: (payee: string) => void },
): ReactElement {
  const { draft, change, isNew, onPayee } = props;
  const [typed, setTyped] = useState('');
  const { data: payees = [] } = usePayees(typed);
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
