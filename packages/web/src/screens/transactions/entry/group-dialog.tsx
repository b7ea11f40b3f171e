import { useState } from 'react';
import type { ReactElement } from 'react';
import { request } from '../../../api/request.ts';
import type { Transaction } from '../../../api/types.ts';
import { CategoryPicker } from '../../../parts/fields/category-picker.tsx';
import { DateField } from '../../../parts/fields/date-field.tsx';
import { Dialog } from '../../../parts/overlays/dialog.tsx';
import { TextField } from '../../../parts/fields/text-field.tsx';
import { entryTexts as t, transactionTexts as list } from '../../../texts/en/transactions.ts';
import { SubmitForm } from '../../flow/submitting.tsx';
import { useEditing } from '../list/use-editing.ts';
import type { Names } from '../list/use-names.ts';

/** Transactions to group. */
export interface GroupDialogProps {
  readonly rows: readonly Transaction[];
  readonly names: Names;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Groups transactions, for example a purchase and its refund. */
export function GroupDialog({ rows, names, onClose, onDone }: GroupDialogProps): ReactElement {
  const { change } = useEditing();
  const [first] = rows;
  const [payee, setPayee] = useState(first?.payee ?? '');
  const [date, setDate] = useState(first?.date ?? '');
  const [categoryId, setCategoryId] = useState(first?.category_id ?? null);
  const save = async (): Promise<void> => {
    const ids = rows.map(({ id }) => id);
    const body = { ids, payee, date, category_id: categoryId };
    await change(() => request('POST', '/v2/transactions/group', { body }), list.saved(1, ''));
    onDone();
    onClose();
  };
  return (
    <Dialog title={t.groupTitle} closeLabel={list.close} onClose={onClose}>
      <p className="hint">{t.groupHint}</p>
      <SubmitForm label={t.groupSave} canSubmit={payee !== '' && date !== ''} work={save}>
        <TextField
          label={list.columns.payee}
          value={payee}
          onChange={({ currentTarget: { value } }) => setPayee(value)}
        />
        <DateField label={list.columns.date} date={date} onDate={setDate} />
        <CategoryPicker
          label={list.columns.category}
          placeholder={list.columns.category}
          categories={names.categories}
          categoryId={categoryId}
          onChoose={setCategoryId}
        />
      </SubmitForm>
    </Dialog>
  );
}
