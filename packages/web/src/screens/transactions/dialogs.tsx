import { useId, useState, type ReactElement } from 'react';
import { request } from '../../api/request.ts';
import { negate, sumOf } from '../../books/formats/money.ts';
import type { Transaction } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { CategoryPicker } from '../../parts/fields/combobox.tsx';
import { AmountField, Line } from '../../parts/fields/fields.tsx';
import { Money } from '../../parts/money.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { entryTexts as t, transactionTexts as list } from '../../texts/en/transactions.ts';
import { useCreating } from '../flow/create.ts';
import { FormDialog } from '../flow/form-dialog.tsx';
import type { Names } from '../flow/names.ts';
import { NotDone, useSubmitting } from '../flow/submitting.tsx';
import { useEditing } from './use-editing.ts';

interface Part {
  /** Without the sign of the whole; null while it is not an amount. */
  readonly amount: string | null;
  readonly categoryId: number | null;
}

const empty: Part = { amount: null, categoryId: null };

/** A transaction to split. */
export interface SplitDialogProps {
  readonly row: Transaction;
  readonly names: Names;
  /** Whether it is marked as reviewed before, because its parts get its status and cannot be marked. */
  readonly isReviewed?: boolean;
  readonly onClose: () => void;
}

/** Splits a transaction: amount, Tab, category, Enter. What is left over is the last part, with the old category. */
export function SplitDialog(props: SplitDialogProps): ReactElement {
  const { row, names, isReviewed = false, onClose } = props;
  const [parts, setParts] = useState<readonly Part[]>([empty]);
  const { change: write } = useEditing();
  const { problem, isBusy, submit } = useSubmitting();
  const problemId = useId();
  const isCredit = row.amount.startsWith('-');
  const whole = isCredit ? negate(row.amount) : row.amount;
  const rest = restOf(whole, parts);
  const isTooMuch = rest.startsWith('-');
  const change = (at: number, part: Partial<Part>): readonly Part[] => {
    const next = parts.map((each, place) => (place === at ? { ...each, ...part } : each));
    setParts(next);
    return next;
  };
  const save = async (given: readonly Part[]): Promise<void> => {
    const all = completed(whole, given, row.category_id);
    if (all === null) return;
    const children = all.map(({ amount, categoryId }) => ({
      amount: isCredit ? negate(amount) : amount,
      category_id: categoryId,
    }));
    const path = { id: row.id };
    await write(async () => {
      if (isReviewed)
        await request('PUT /v2/transactions/{id}', { path, body: { status: 'reviewed' } });
      const body = { child_transactions: children };
      await request('POST /v2/transactions/split/{id}', { path, body });
    }, list.saved(1));
    onClose();
  };
  return (
    <Dialog title={t.splitTitle} onClose={onClose}>
      <div className="split-parts">
        {parts.map((part, at) => (
          <PartFields
            key={at}
            {...{ part, number: at + 1, row, names }}
            hasFocus={at === parts.length - 1}
            onChange={(values) => change(at, values)}
            onLast={at === parts.length - 1 ? (next) => void submit(() => save(next)) : null}
          />
        ))}
        <Rest rest={rest} row={row} names={names} />
        {isTooMuch && (
          <p className="problem" id={problemId} role="alert">
            {t.tooMuch}
          </p>
        )}
      </div>
      <NotDone problem={problem} />
      <div className="actions">
        <Button
          look="main"
          disabled={isBusy || isTooMuch}
          onClick={() => void submit(() => save(parts))}
        >
          {t.save}
        </Button>
        <Button icon="plus" onClick={() => setParts([...parts, empty])}>
          {t.addPart}
        </Button>
      </div>
    </Dialog>
  );
}

function Rest(props: Pick<SplitDialogProps, 'row' | 'names'> & { readonly rest: string }) {
  const { rest, row, names } = props;
  return (
    <p className="split-rest">
      <span>
        {t.rest} · {names.categoryOf(row) ?? list.noCategory}
      </span>
      <Money amount={rest} currency={row.currency} />
    </p>
  );
}

function PartFields(props: {
  readonly part: Part;
  readonly number: number;
  readonly row: Transaction;
  readonly names: Names;
  readonly hasFocus: boolean;
  readonly onChange: (values: Partial<Part>) => readonly Part[];
  /** Called with all parts when the category of the last one is chosen. */
  readonly onLast: ((parts: readonly Part[]) => void) | null;
}): ReactElement {
  const { part, number, row, names, hasFocus, onChange, onLast } = props;
  const creating = useCreating();
  const choose = (categoryId: number | null): void => onLast?.(onChange({ categoryId }));
  return (
    <div className="split-part">
      <AmountField
        label={t.part(number)}
        value={part.amount}
        currency={row.currency}
        autoFocus={hasFocus}
        onChange={(amount) => onChange({ amount })}
      />
      <Line id={null} label={list.columns.category}>
        <CategoryPicker
          label={t.partCategory(number)}
          categories={names.categories}
          categoryId={part.categoryId}
          onChoose={choose}
          onCreate={(name) => creating.category(name, choose)}
        />
      </Line>
    </div>
  );
}

function restOf(whole: string, parts: readonly Part[]): string {
  return sumOf([whole, ...parts.map(({ amount }) => negate(amount ?? '0.0000'))]);
}

/** All parts with the rest; null when they are no split. */
function completed(whole: string, parts: readonly Part[], categoryId: number | null) {
  const given = parts.flatMap(({ amount, ...part }) =>
    amount === null ? [] : [{ ...part, amount }],
  );
  const rest = restOf(whole, parts);
  if (given.length === 0 || rest.startsWith('-')) return null;
  return rest === '0.0000' ? given : [...given, { amount: rest, categoryId }];
}

/** Groups transactions, for example a purchase and its refund. */
export function GroupDialog(props: {
  readonly rows: readonly Transaction[];
  readonly names: Names;
  readonly onClose: () => void;
  readonly onDone: () => void;
}): ReactElement {
  const { rows, names, onClose, onDone } = props;
  const { change } = useEditing();
  const { payee = '', date = '', category_id = null } = rows[0] ?? {};
  return (
    <FormDialog
      title={t.groupTitle}
      intro={<p className="hint">{t.groupHint}</p>}
      label={t.groupSave}
      schema="TransactionGroupInsert"
      begun={{ payee, date, category_id }}
      canSubmit={(draft) => draft.payee !== '' && draft.date !== ''}
      fields={() => [
        { name: 'payee', label: list.columns.payee },
        { name: 'date', label: list.columns.date, kind: 'date' },
        {
          name: 'category_id',
          label: list.columns.category,
          kind: 'category',
          categories: names.categories,
        },
      ]}
      save={async (values) => {
        const body = { ids: rows.map(({ id }) => id), ...values };
        await change(() => request('POST /v2/transactions/group', { body }), list.saved(1));
        onDone();
      }}
      onClose={onClose}
    />
  );
}
