import sql from 'sql-template-tag';
import { changing, NoSuchBookError, type Change } from '../../book/change.ts';
import type { Job } from '../../jobs/scheduler.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps, Engine } from '../../db/engine.ts';
import { select, rowsAs } from '../../db/rows.ts';
import { given, integer, text, type Row } from '../../db/table.ts';
import { manualCryptoAccounts } from '../../db/tables/tables.ts';
import { bookOf, ownerOf } from '../../identity/users/actions.ts';
import { dropHistory, hasHistory, keepHistory } from '../../ledger/balance-history/actions.ts';
import { bodyProblem, type ErrorDetail } from '../../operations/problem.ts';
import { cryptocurrencyOf, pricesOf, worthAt, rememberPrices } from '../prices/actions.ts';
import type { Worth } from '../prices/worth.ts';
import type { AssetSource } from '../prices/asset-source.ts';
import type { Cryptocurrency } from '../prices/schema.ts';
import { formatSigned, parseQuantityInput, parseSigned } from './rules.ts';

export type ManualCryptoRow = Row<typeof manualCryptoAccounts>;

type Names = Pick<ManualCryptoRow, 'name' | 'display_name' | 'institution_name'>;

/** A new balance; `quantity` is in units of 10^-18 and may be negative. */
export interface NewManualCrypto extends Names {
  readonly quantity: bigint;
  readonly asset: Cryptocurrency;
}

/** A balance of a request. */
interface SentBalance {
  readonly balance: number | string;
  readonly symbol: string;
}

/** Returns the quantity and the asset of a request. Throws one Problem for all that is wrong with them. */
export function* checkedBalance({ balance, symbol }: SentBalance): Steps<{
  readonly quantity: bigint;
  readonly asset: Cryptocurrency;
}> {
  const quantity = parseQuantityInput(balance);
  const asset = yield* cryptocurrencyOf(symbol.toLowerCase());
  const problems = [
    ...(quantity === null ? [balanceProblem(balance)] : []),
    ...(asset === undefined ? [symbolProblem(symbol)] : []),
  ];
  if (quantity === null || asset === undefined) throw bodyProblem(...problems);
  return { quantity, asset };
}

/** Returns the quantity of a request. Throws a Problem for one that is too large. */
export function checkedQuantity(balance: number | string): bigint {
  const quantity = parseQuantityInput(balance);
  if (quantity === null) throw bodyProblem(balanceProblem(balance));
  return quantity;
}

/** Creates a manual crypto account, with its value at the last known price. */
export function* createManualCrypto(
  change: Change,
  { quantity, asset, ...names }: NewManualCrypto,
): Steps<ManualCryptoRow> {
  return yield* change.insert(manualCryptoAccounts, {
    ...names,
    symbol: asset.symbol,
    coingecko_id: asset.coingecko_id,
    quantity: formatSigned(quantity),
    ...(yield* lastWorth(change.bookId, asset.coingecko_id, quantity)),
    balance_as_of: change.at,
    created_by_name: yield* ownerOf(change.bookId),
  });
}

/** New columns of a manual crypto account; undefined leaves a column as it is. */
export type ManualCryptoUpdate = {
  readonly [K in keyof Names]?: Names[K] | undefined;
} & { readonly quantity?: bigint | undefined };

/** Updates a manual crypto account. A balance that is set, even to the same quantity, is one as of now. */
export function* updateManualCrypto(
  change: Change,
  before: ManualCryptoRow,
  { quantity, ...names }: ManualCryptoUpdate,
): Steps<ManualCryptoRow> {
  const balance = quantity !== undefined && {
    quantity: formatSigned(quantity),
    ...(yield* lastWorth(change.bookId, before.coingecko_id, quantity)),
    balance_as_of: change.at,
  };
  return yield* change.update(manualCryptoAccounts, before, { ...given(names), ...balance });
}

/** Gives the manual crypto accounts of the book their values at the last known prices. */
function* revalueManualCrypto(change: Change): Steps<void> {
  const all = yield* select(manualCryptoAccounts, { book_id: change.bookId });
  const { primaryCurrency } = yield* bookOf(change.bookId);
  const ids = all.map((each) => each.coingecko_id);
  const prices = yield* pricesOf(primaryCurrency, ids);
  for (const row of all) {
    const price = prices.get(row.coingecko_id);
    if (price === undefined || price.as_of === row.price_as_of) continue;
    const worth = worthAt(parseSigned(row.quantity), price);
    yield* change.update(manualCryptoAccounts, row, worth);
  }
}

function* lastWorth(bookId: number, coingecko_id: string, quantity: bigint): Steps<Worth> {
  const { primaryCurrency } = yield* bookOf(bookId);
  const prices = yield* pricesOf(primaryCurrency, [coingecko_id]);
  return worthAt(quantity, prices.get(coingecko_id));
}

function balanceProblem(balance: number | string): ErrorDetail {
  return {
    errMsg: `Body property balance must have at most 18 digits before the point, not ${JSON.stringify(balance)}`,
    instancePath: '/body/balance',
    invalid_property: 'balance',
    balance,
  };
}

function symbolProblem(symbol: string): ErrorDetail {
  return {
    errMsg: `Unsupported crypto symbol '${symbol}'. Use GET /cryptocurrencies to find a supported symbol.`,
    instancePath: '/body/symbol',
    invalid_property: 'symbol',
    symbol,
  };
}

/**
 * Deletes a manual crypto account, and keeps or drops its balance history. Returns false, and deletes nothing, if it
 * has a history and `keepsHistory` is undefined.
 */
export function* removeManualCrypto(
  change: Change,
  row: ManualCryptoRow,
  keepsHistory: boolean | undefined,
): Steps<boolean> {
  const source = { kind: 'crypto_manual', id: row.id } as const;
  if (yield* hasHistory(change.bookId, source)) {
    if (keepsHistory === undefined) return false;
    const { name, display_name, institution_name, symbol } = row;
    const details = { name, display_name, institution_name, symbol };
    const all = { ...details, account_type: 'cryptocurrency' };
    yield* keepsHistory ? keepHistory(change, source, all) : dropHistory(change, source);
  }
  yield* change.remove(manualCryptoAccounts, row);
  return true;
}

/** Each run is a version of every book with a manual balance, so not too often. */
const everyMs = 6 * 3_600_000;
/** Ids in one request: enough for few requests, and a URL that every proxy accepts. */
const idsAtOnce = 100;

/**
 * Returns the job that reads the prices of all held assets and gives manual balances their new values.
 *
 * Held are assets of manual balances and of synced ones, each in the primary currency of its book. `run` rejects with
 * the first failure of the price source, after everything else is done.
 */
export function cryptoPriceJob(source: AssetSource): Job {
  return {
    name: 'crypto prices',
    everyMs,
    run: async (engine, _nowMs, signal) => {
      const owned = Map.groupBy(await engine.read(ownedAssets), ({ currency }) => currency);
      const failures: unknown[] = [];
      for (const [currency, assets] of owned) {
        const ids = assets.map(({ coingecko_id }) => coingecko_id);
        await readPrices({ engine, source, currency, ids, signal }).catch((error: unknown) =>
          failures.push(error),
        );
      }
      for (const { book_id } of await engine.read(booksWithManualCrypto))
        if (!signal.aborted) await revalue(engine, book_id);
      if (failures.length > 0) throw failures[0];
    },
  };
}

interface PriceRun {
  readonly engine: Engine;
  readonly source: AssetSource;
  readonly currency: string;
  readonly ids: readonly string[];
  readonly signal: AbortSignal;
}

async function readPrices({ engine, source, currency, ids, signal }: PriceRun): Promise<void> {
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const prices = await source.prices(ids.slice(at, at + idsAtOnce), currency, signal);
    for (const block of blocksOf(prices)) await engine.write(() => rememberPrices(currency, block));
  }
}

function ownedAssets(): Steps<{ readonly coingecko_id: string; readonly currency: string }[]> {
  return rowsAs(
    { coingecko_id: text, currency: text },
    sql`SELECT m.coingecko_id, b.primary_currency AS currency
        FROM crypto_manual_accounts m JOIN books b ON b.id = m.book_id
      UNION SELECT s.coingecko_id, b.primary_currency
        FROM crypto_synced_balances s JOIN books b ON b.id = s.book_id WHERE s.coingecko_id IS NOT NULL
      ORDER BY currency, coingecko_id`,
  );
}

/** Returns whether any book has an asset that could have a price. */
export function* holdsCrypto(): Steps<boolean> {
  const found = yield* rowsAs(
    { one: integer },
    sql`SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM crypto_manual_accounts)
      OR EXISTS (SELECT 1 FROM crypto_synced_balances WHERE coingecko_id IS NOT NULL)`,
  );
  return found.length > 0;
}

function booksWithManualCrypto(): Steps<{ readonly book_id: number }[]> {
  return rowsAs(
    { book_id: integer },
    sql`SELECT DISTINCT book_id FROM crypto_manual_accounts ORDER BY book_id`,
  );
}

async function revalue(engine: Engine, bookId: number): Promise<void> {
  const cause = { bookId, actor: 'connector', operation: 'crypto prices' };
  try {
    await engine.write(() => changing(cause, revalueManualCrypto));
  } catch (error) {
    // The book was deleted meanwhile.
    if (!(error instanceof NoSuchBookError)) throw error;
  }
}
