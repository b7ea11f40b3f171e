import { dayOf } from '@coffer/core/dates';
import { now } from '../../../db/engine.ts';
import { changed, created, noContent, ok } from '../../../operations/responses.ts';
import { read, write } from '../../../operations/operation.ts';
import type { Operation } from '../../../operations/operation.ts';
import { breakTransfer, createTransfer, createTransferRows } from './actions.ts';
import { listTransfers, transferOf } from './pairs.ts';
import { makeCertain, suggestTransfers } from './search.ts';
import * as schema from './schema.ts';

const all = { path: '/coffer/transfers', tag: 'transfers' } as const;
const one = {
  path: '/coffer/transfers/{id}',
  tag: 'transfers',
  params: schema.TransferPath,
} as const;

/** The operations of this folder. */
export const transferRoutes: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getAllTransfers',
      summary: 'List transfers',
      description:
        'Returns the transfers with a transaction in these days, or with one of these transactions. A pair whose ' +
        'transactions can no longer be a transfer, because one is split, grouped or in the same account, is left out.',
      size: ({ transaction_ids: ids }: schema.TransferQuery) =>
        ids === undefined ? 'unbounded' : 'bounded',
      query: schema.TransferQuery,
      response: ok(schema.TransferList, 'The transfers.'),
    },
    function* ({ bookId, query }) {
      return yield* listTransfers(bookId, query);
    },
  ),
  write(
    'POST',
    {
      ...all,
      id: 'createTransfer',
      summary: 'Make a transfer of two transactions',
      description:
        'The sums of `GET /coffer/sums` then leave both out. Amounts, days and currencies may differ. ' +
        'The transactions stay as they are.',
      body: schema.TransferInsert,
      response: created(schema.Transfer, 'The new transfer.'),
    },
    function* ({ body }, change) {
      return yield* createTransfer(change, body);
    },
  ),
  write(
    'POST',
    {
      ...all,
      path: '/coffer/transfers/rows',
      id: 'createTransferWithTransactions',
      summary: 'Make a transfer with both transactions',
      description:
        'Inserts a transaction in each account, moves the balances of manual accounts, and pairs the two.',
      body: schema.TransferRowsInsert,
      response: created(schema.Transfer, 'The new transfer.'),
    },
    function* ({ body }, change) {
      return yield* createTransferRows(change, body);
    },
  ),
  read(
    {
      ...all,
      path: '/coffer/transfers/suggestions',
      id: 'getTransferSuggestions',
      size: 'unbounded',
      summary: 'Suggest transfers',
      description:
        'Returns pairs of transactions in two accounts that may be transfers: the same amount within five days, or ' +
        'amounts that differ by a fee or a rate. Each transaction is in at most one. Without days they are those of ' +
        'the last three months.',
      query: schema.SuggestionsQuery,
      response: ok(schema.TransferSuggestions, 'The suggestions.'),
    },
    function* ({ bookId, query }) {
      return yield* suggestTransfers(bookId, query, (yield* now()).slice(0, 10));
    },
    // The default days end with the present one.
    { state: (_, nowMs) => dayOf(nowMs) },
  ),
  write(
    'POST',
    {
      ...all,
      path: '/coffer/transfers/find',
      id: 'findTransfers',
      size: 'unbounded',
      summary: 'Make all certain transfers',
      description:
        'Makes a transfer of each suggestion that is certain, as an import does for its rows. One change of the book.',
      body: schema.TransferSearch,
      response: changed(schema.FoundTransfers, 'The numbers.'),
    },
    function* ({ body }, change) {
      return yield* makeCertain(change, body);
    },
  ),
  read(
    {
      ...one,
      id: 'getTransferById',
      summary: 'Get a transfer',
      response: ok(schema.Transfer, 'The transfer.'),
    },
    function* ({ bookId, params }) {
      return yield* transferOf(bookId, params.id);
    },
  ),
  write(
    'DELETE',
    {
      ...one,
      id: 'deleteTransfer',
      summary: 'Break a transfer',
      description: 'Its two transactions stay, and count in sums again.',
      response: noContent('The transfer is deleted.'),
    },
    function* ({ params }, change) {
      yield* breakTransfer(change, params.id);
    },
  ),
];
