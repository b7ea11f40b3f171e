import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { ApiError, isProved } from '../../api/errors.ts';
import { useCurrency } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { formatDate } from '../../books/formats/dates.ts';
import type { BulkChange, BulkOutcome } from '../../books/types.ts';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { bulkTexts as t, transactionTexts as list } from '../../texts/en/transactions.ts';
import { Loaded } from '../flow/loaded.tsx';
import type { Names } from '../flow/names.ts';
import { Confirmed } from '../flow/submitting.tsx';
import { useEditing } from './use-editing.ts';
import type { Bulk } from './use-row-actions.ts';

/** Says what a change of more rows than one request takes will do, and does it as one change of the book. */
export function BulkDialog(props: {
  readonly bulk: Bulk;
  readonly names: Names;
  readonly onDone: () => void;
  readonly onClose: () => void;
}): ReactElement {
  const { bulk, names, onDone, onClose } = props;
  const { whole, change: body } = bulk;
  const { change } = useEditing();
  const query = { ...whole.query, offset: whole.first, limit: whole.count };
  const preview = useQuery({
    queryKey: [...keys.transactions, 'bulk', query, body],
    queryFn: ({ signal }) =>
      request('POST /coffer/transactions/bulk/preview', {
        query: { ...query, force: true },
        body,
        signal,
      }),
    staleTime: 0,
    gcTime: 0,
  });
  const { data } = preview;
  const isDeletion = body.delete === true;
  const apply = async (force: boolean): Promise<void> => {
    const sent = { ...body, version: data?.version ?? 0 };
    const send = () =>
      request('POST /coffer/transactions/bulk', { query: { ...query, force }, body: sent });
    const done = isDeletion ? list.deleted(data?.changed ?? 0) : list.saved(data?.changed ?? 0);
    try {
      await change(send, done);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409 || isProved(error)) throw error;
      await preview.refetch();
      throw new Error(t.changed);
    }
    onDone();
  };
  return (
    <Confirmed
      title={isDeletion ? t.deleteTitle : t.changeTitle}
      confirmLabel={isDeletion ? list.remove : t.confirm}
      look={isDeletion ? 'danger' : 'main'}
      canConfirm={data !== undefined && data.changed > 0 && !preview.isFetching}
      work={apply}
      onClose={onClose}
    >
      <Values change={body} names={names} />
      <Loaded query={preview} lines={2}>
        {(outcome) => <Outcome outcome={outcome} isDeletion={isDeletion} />}
      </Loaded>
    </Confirmed>
  );
}

/** The new values, by the names of their fields. */
function Values({ change, names }: { readonly change: BulkChange; readonly names: Names }) {
  const preferences = usePreferences();
  const currency = useCurrency();
  const { date, amount, category_id: category, payee, notes, status } = change.update ?? {};
  const { manual_account_id, plaid_account_id } = change.update ?? {};
  const { add_tag_ids: added = [], remove_tag_ids: removed = [] } = change.update ?? {};
  const { columns } = list;
  const account = {
    manual_account_id: manual_account_id ?? null,
    plaid_account_id: plaid_account_id ?? null,
  };
  const hasAccount = manual_account_id !== undefined || plaid_account_id !== undefined;
  const tagsOf = (ids: readonly number[]) => names.tagsOf({ tag_ids: [...ids] }).join(', ');
  const values: readonly (readonly [name: string, value: ReactNode])[] = [
    [columns.date, date && formatDate(date, 'medium', preferences)],
    [columns.payee, payee],
    [
      columns.category,
      category !== undefined && (names.categoryOf({ category_id: category }) ?? list.noCategory),
    ],
    [columns.account, hasAccount && (names.accountOf(account) ?? list.noAccount)],
    [
      columns.amount,
      amount !== undefined && (
        <Money amount={String(amount)} currency={currency} hasCurrency={false} sign="debit" />
      ),
    ],
    [columns.notes, notes !== undefined && (notes ?? t.nothing)],
    [list.status, status && list.statuses[status]],
    [t.addTag, tagsOf(added)],
    [t.removeTag, tagsOf(removed)],
  ];
  const shown = values.filter(
    ([, value]) => value !== undefined && value !== false && value !== '',
  );
  if (shown.length === 0) return null;
  return (
    <dl className="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Outcome(props: { readonly outcome: BulkOutcome; readonly isDeletion: boolean }) {
  const { isDeletion } = props;
  const { matched, total, changed, left_out: left } = props.outcome;
  const currency = useCurrency();
  const others = left.pending + left.split + left.grouped + left.locked;
  const same = matched - changed - others;
  return (
    <>
      <p>
        {t.matched(matched)} · <Money amount={total} isRounded currency={currency} sign="debit" />
      </p>
      <ul>
        <li>
          <strong>{isDeletion ? t.willDelete(changed) : t.willChange(changed)}</strong>
        </li>
        {same > 0 && <li>{t.same(same)}</li>}
        {left.pending > 0 && <li>{list.pendingLeft(left.pending)}</li>}
        {isDeletion && left.split + left.grouped > 0 && (
          <li>{list.partsLeft(left.split + left.grouped)}</li>
        )}
        {!isDeletion && left.grouped > 0 && <li>{t.groupsLeft(left.grouped)}</li>}
        {left.locked > 0 && <li>{t.lockedLeft(left.locked)}</li>}
      </ul>
    </>
  );
}
