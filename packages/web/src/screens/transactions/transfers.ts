import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useRead } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { accountOf } from '../../books/rows/rows.ts';
import type { Schemas, Transaction } from '../../books/types.ts';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import type { Names } from '../flow/names.ts';
import { useEditing } from './use-editing.ts';

type Transfer = Schemas['Transfer'];

/** Most rows in one request. */
const mostIds = 200;
/** How long the rows in view have to stay before their transfers are read. */
const settleMs = 150;

/** The transfers of the rows in view, by the ids of both transactions. */
export function useTransfers(
  rows: readonly (Pick<Transaction, 'id'> | undefined)[],
): ReadonlyMap<number, Transfer> {
  const ids = rows.flatMap((row) => (row === undefined ? [] : [row.id])).slice(0, mostIds);
  const settled = useSettled(ids.join());
  const { data } = useRead(keys.transactions, 'GET /coffer/transfers', {
    query: { transaction_ids: settled, limit: mostIds },
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  return useMemo(() => bySides(data?.transfers ?? []), [data]);
}

/** The last text that stayed the same for a moment: while a list scrolls, nothing is read for what passes by. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** The pairs of the last three months that may be transfers, by the ids of both transactions. */
export function useSuggestedTransfers(): ReadonlyMap<number, Schemas['TransferSuggestion']> {
  const { data } = useRead(keys.transfers, 'GET /coffer/transfers/suggestions', {
    query: { limit: 500 },
    staleTime: 300_000,
  });
  return useMemo(() => bySides(data?.suggestions ?? []), [data]);
}

/** Returns pairs by the ids of both transactions. */
function bySides<T extends Pick<Transfer, 'sent' | 'received'>>(
  pairs: readonly T[],
): ReadonlyMap<number, T> {
  return new Map(
    pairs.flatMap((pair) => [
      [pair.sent.transaction_id, pair],
      [pair.received.transaction_id, pair],
    ]),
  );
}

/** Returns the other account of a pair in words: `to Savings`, `from Checking`. */
export function otherAccount(
  { sent, received }: Pick<Transfer, 'sent' | 'received'>,
  id: number,
  { accounts }: Names,
): string {
  const isSent = sent.transaction_id === id;
  const name = accounts.get(accountOf(isSent ? received : sent)) ?? t.noAccount;
  return isSent ? t.transferTo(name) : t.transferFrom(name);
}

/** The names of a list with the other accounts of transfers. */
export function useNamesOfTransfers(names: Names, transfers: ReadonlyMap<number, Transfer>): Names {
  return useMemo(
    () => ({
      ...names,
      transferOf: ({ id }) => {
        const transfer = transfers.get(id);
        return transfer === undefined ? null : otherAccount(transfer, id, names);
      },
    }),
    [names, transfers],
  );
}

/** Makes and breaks transfers. */
interface Pairing {
  /** Pairs two transactions in any order; the server says why if they are no transfer. */
  readonly pair: (rows: readonly Pick<Transaction, 'id' | 'amount'>[]) => void;
  readonly pairSuggested: (pair: Pick<Transfer, 'sent' | 'received'>) => void;
  readonly unpair: (transfer: Transfer | undefined) => void;
}

/** The changes of transfers, each with a message that can take it back. */
export function usePairing(): Pairing {
  const cache = useQueryClient();
  const { attempt } = useEditing();
  const fresh = (): Promise<void> => cache.invalidateQueries({ queryKey: keys.transfers });
  const make = (sent_id: number, received_id: number): void => {
    const body = { sent_id, received_id };
    void attempt(() => request('POST /coffer/transfers', { body }).finally(fresh), t.paired);
  };
  return {
    pairSuggested: ({ sent, received }) => make(sent.transaction_id, received.transaction_id),
    pair: (rows) => {
      const [sent, received] = rows.toSorted((a, b) => Number(b.amount) - Number(a.amount));
      if (sent !== undefined && received !== undefined) make(sent.id, received.id);
    },
    unpair: (transfer) => {
      if (transfer === undefined) return;
      const path = { id: transfer.id };
      void attempt(
        () => request('DELETE /coffer/transfers/{id}', { path }).finally(fresh),
        t.broken,
      );
    },
  };
}
