import { select } from '../../db/rows.ts';
import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { given } from '../../db/table.ts';
import type { Row } from '../../db/table.ts';
import { manualCryptoAccounts } from '../../db/tables/tables.ts';
import { bodyProblem } from '../../operations/problem.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import { cryptocurrencyOf, pricesOf, worthAt } from '../prices/actions.ts';
import type { Worth } from '../prices/actions.ts';
import type { Cryptocurrency } from '../prices/schema.ts';
import { bookOf, ownerOf } from '../../identity/users/actions.ts';
import { formatSigned, parseQuantityInput, parseSigned } from './rules.ts';

export type ManualCryptoRow = Row<typeof manualCryptoAccounts>;

/** A new balance; `quantity` is in units of 10^-18 and may be negative. */
export interface NewManualCrypto {
  readonly name: string;
  readonly displayName: string | null;
  readonly institutionName: string | null;
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
  { name, displayName, institutionName, quantity, asset }: NewManualCrypto,
): Steps<ManualCryptoRow> {
  return yield* change.insert(manualCryptoAccounts, {
    name,
    display_name: displayName,
    institution_name: institutionName,
    symbol: asset.symbol,
    coingecko_id: asset.coingecko_id,
    quantity: formatSigned(quantity),
    ...(yield* lastWorth(change.bookId, asset.coingecko_id, quantity)),
    balance_as_of: change.at,
    created_by_name: yield* ownerOf(change.bookId),
  });
}

/** New columns of a manual crypto account; undefined leaves a column as it is. */
export interface ManualCryptoUpdate {
  readonly name?: string | undefined;
  readonly display_name?: string | null | undefined;
  readonly institution_name?: string | null | undefined;
  readonly quantity?: bigint | undefined;
}

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
export function* revalueManualCrypto(change: Change): Steps<void> {
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

function* lastWorth(bookId: number, coingeckoId: string, quantity: bigint): Steps<Worth> {
  const { primaryCurrency } = yield* bookOf(bookId);
  const prices = yield* pricesOf(primaryCurrency, [coingeckoId]);
  return worthAt(quantity, prices.get(coingeckoId));
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
