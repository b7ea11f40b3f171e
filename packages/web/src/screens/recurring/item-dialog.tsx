import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTransaction } from '../../api/hooks.ts';
import { draftFrom, draftOf, emptyDraft } from '../../books/recurring/recurring-draft.ts';
import type { ItemDraft } from '../../books/recurring/recurring-draft.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Skeleton } from '../../parts/states/skeleton.tsx';
import { ownChangesTexts as own } from '../../texts/en/own-changes.ts';
import { itemTexts as t, recurringTexts } from '../../texts/en/recurring.ts';
import { NotDone, useSubmitting } from '../flow/submitting.tsx';
import type { ItemActions, Names } from './data.ts';
import { MatchFields } from './match-fields.tsx';
import type { Edited } from './props.ts';
import { RhythmFields } from './rhythm-fields.tsx';
import { ShownFields } from './shown-fields.tsx';

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
