import { cryptoBalanceNotFound, recordNotFound } from '@coffer/contract/errors';
import type { CryptoAccount, CryptoRefresher, StoredCryptoBalance } from '../../records/crypto.ts';
import type { Store } from '../../records/store.ts';
import type { Route } from '../api.ts';
import { Problem } from '../errors.ts';

/** GET /v2/crypto/synced and the paths below it, and POST /v2/crypto/synced/{id}/refresh. */
export function cryptoRoutes(store: Store, refresher: CryptoRefresher): Route[] {
  const find = async (bookId: number, id: number): Promise<CryptoAccount> => {
    const accounts = await store.listCryptoAccounts(bookId);
    return accounts.find((account) => account.id === id) ?? refuseAccount(id);
  };
  return [
    {
      method: 'GET',
      path: '/v2/crypto/synced',
      answer: async ({ identity }) => {
        const accounts = await store.listCryptoAccounts(identity.book.id);
        return [Buffer.from(`{"crypto_synced":[${accounts.map(accountJson).join(',')}]}`)];
      },
    },
    {
      method: 'GET',
      path: '/v2/crypto/synced/{id}',
      answer: async ({ identity, path }) => {
        return [Buffer.from(accountJson(await find(identity.book.id, path['id'] as number)))];
      },
    },
    {
      method: 'GET',
      path: '/v2/crypto/synced/{id}/{symbol}',
      answer: async ({ identity, path }) => {
        const account = await find(identity.book.id, path['id'] as number);
        return [Buffer.from(balanceJson(findBalance(account, path['symbol'] as string)))];
      },
    },
    {
      method: 'POST',
      path: '/v2/crypto/synced/{id}/refresh',
      answer: async ({ identity, path }) => {
        const id = path['id'] as number;
        const account = await refresher.refresh(identity.book, id);
        return [Buffer.from(accountJson(account ?? refuseAccount(id)))];
      },
    },
  ];
}

function findBalance({ id, balances }: CryptoAccount, symbol: string): StoredCryptoBalance {
  const found = balances.find((balance) => balance.symbol === symbol.toLowerCase());
  return found ?? refuse(cryptoBalanceNotFound(symbol, id));
}

function refuseAccount(id: number): never {
  return refuse(recordNotFound('synced crypto account', id));
}

function refuse(errMsg: string): never {
  throw new Problem('recordNotFound', { details: [{ errMsg }] });
}

function accountJson(account: CryptoAccount): string {
  const { balances, ...rest } = account;
  const head = JSON.stringify({
    id: rest.id,
    provider: rest.provider,
    status: rest.status,
    created_by_name: rest.createdByName,
    created_at: rest.createdAtIso,
    updated_at: rest.updatedAtIso,
    last_import: rest.lastImportIso,
    display_name: rest.displayName,
  });
  return `${head.slice(0, -1)},"balances":[${balances.map(balanceJson).join(',')}]}`;
}

/** A worth is written digit by digit: a double cannot hold the last place of the largest. */
function balanceJson(balance: StoredCryptoBalance): string {
  const head = JSON.stringify({
    name: balance.name,
    display_name: null,
    balance: balance.quantity,
    symbol: balance.symbol,
    coingecko_id: balance.coingeckoId,
  });
  const tail = JSON.stringify({
    balance_as_of: balance.balanceAsOfIso,
    exchange_rate_as_of: balance.priceAsOfIso,
    updated_at: balance.updatedAtIso,
  });
  const worth = balance.toBase === null ? 'null' : decimal(balance.toBase);
  return `${head.slice(0, -1)},"to_base":${worth},${tail.slice(1)}`;
}

/** Ten-thousandths as a number of JSON with four places. */
function decimal(tenThousandths: number): string {
  const digits = String(Math.abs(tenThousandths)).padStart(5, '0');
  return `${tenThousandths < 0 ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}
