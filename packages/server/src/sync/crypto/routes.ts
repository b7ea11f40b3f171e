import type { Engine } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { cryptoAccounts, cryptoBalances } from '../../db/tables/tables.ts';
import { cryptoBalanceNotFound } from '../../operations/errors.ts';
import { causeOf, outside, read } from '../../operations/operation.ts';
import type { Operation, Request } from '../../operations/operation.ts';
import { notFound, orProviderProblem, Problem } from '../../operations/problem.ts';
import { recordOf } from '../../operations/records.ts';
import { changed, ok } from '../../operations/responses.ts';
import { balancesOf, listAccounts, refreshAccount } from './actions.ts';
import type { CryptoReader } from './reader.ts';
import { accountToWire, balanceToWire } from './rules.ts';
import {
  SyncedCryptoAccount,
  SyncedCryptoBalance,
  SyncedCryptoBalancePath,
  SyncedCryptoListResponse,
  SyncedCryptoPath,
} from './schema.ts';

const noun = 'synced crypto account';
const tag = 'crypto-synced';

/** Returns the operations of synced crypto accounts; `reader` reads them from their providers. */
export function cryptoRoutes(reader: CryptoReader): readonly Operation[] {
  return [...readRoutes, refreshRoute(reader)];
}

const readRoutes: readonly Operation[] = [
  read(
    {
      id: 'getAllCryptoSynced',
      path: '/v2/crypto/synced',
      tag,
      summary: 'List synced crypto accounts',
      description:
        'Returns all synced crypto accounts of the book with their last balances. No provider is called.',
      response: ok(SyncedCryptoListResponse, 'The accounts.'),
    },
    function* ({ bookId }) {
      return { crypto_synced: yield* listAccounts(bookId) };
    },
  ),
  read(
    {
      id: 'getCryptoSyncedById',
      path: '/v2/crypto/synced/{id}',
      tag,
      summary: 'Get a synced crypto account',
      description: 'Returns the account with its last balances.',
      params: SyncedCryptoPath,
      response: ok(SyncedCryptoAccount, 'The account.'),
    },
    function* ({ bookId, params }) {
      const account = yield* recordOf(cryptoAccounts, noun, bookId, params.id);
      return accountToWire(account, yield* balancesOf(account));
    },
  ),
  read(
    {
      id: 'getCryptoSyncedBalanceBySymbol',
      path: '/v2/crypto/synced/{id}/{symbol}',
      tag,
      summary: 'Get a balance of a synced crypto account',
      description:
        'Returns the last balance of one asset. A symbol that the account does not hold returns 404.',
      params: SyncedCryptoBalancePath,
      response: ok(SyncedCryptoBalance, 'The balance.'),
    },
    function* ({ bookId, params }) {
      const { id } = yield* recordOf(cryptoAccounts, noun, bookId, params.id);
      const symbol = params.symbol.toLowerCase();
      const balance = yield* find(cryptoBalances, { book_id: bookId, account_id: id, symbol });
      if (balance !== undefined) return balanceToWire(balance);
      const errMsg = cryptoBalanceNotFound(params.symbol, id);
      throw new Problem('recordNotFound', { details: [{ errMsg }] });
    },
  ),
];

function refreshRoute(reader: CryptoReader): Operation {
  const declaration = {
    id: 'refreshCryptoSynced',
    path: '/v2/crypto/synced/{id}/refresh',
    tag,
    summary: 'Refresh a synced crypto account',
    description:
      'Reads the balances and their prices from the provider and replaces all balances of the account. ' +
      'If the provider fails, the balances stay, and `status` says what to do. ' +
      'Concurrent refreshes of an account share one reading. Do not poll: providers have their own limits.',
    params: SyncedCryptoPath,
    response: changed(SyncedCryptoAccount, 'The refreshed account.'),
    refusals: { 502: 'BadGateway', 504: 'GatewayTimeout' },
  } as const;
  const refresh = async (
    request: Request<typeof declaration>,
    engine: Engine,
  ): Promise<SyncedCryptoAccount> => {
    const { book } = request.identity;
    const { id } = request.params;
    const cause = { ...causeOf(declaration, request), actor: 'connector' };
    const account = await orProviderProblem(refreshAccount({ engine, reader, book, id, cause }));
    if (account === null) throw notFound(noun, id);
    return account;
  };
  return outside('POST', declaration, refresh, { isShared: true });
}
