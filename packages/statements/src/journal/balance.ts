import { Refusal } from '../statement/statement-error.ts';
import {
  worth,
  type Price,
  type Quantity,
  abs,
  divide,
  divideEvenly,
  multiply,
  PLACES,
  round,
  shown,
  unit,
  type Fixed,
} from './amount.ts';
import { currencyOf } from '../statement/currencies.ts';
import { NO_AMOUNT, type Posting, type Transaction } from './survey.ts';

/** The value of a posting in the commodity that balances its transaction. */
export interface Weight {
  readonly commodity: string;
  readonly value: Fixed;
}

/** A posting with its amount. */
export interface Resolved {
  readonly posting: Posting;
  readonly commodity: string;
  readonly value: Fixed;
  /** Null: its value is not known, as that of a lot that is sold without its cost. */
  readonly weight: Weight | null;
  /** Whether it has a cost in braces: a holding, not cash, even if the commodity is a currency. */
  readonly isLot: boolean;
  /** Whether its amount is not written, but follows from the others. */
  readonly isInferred: boolean;
}

/** Whether accounts hold money, to refuse what cannot be inferred for them. */
type IsMoney = (account: string) => boolean;

/** What the format and the file say about balancing. */
export interface Balancing {
  readonly isMoney: IsMoney;
  /** Whether two commodities without a price are worth each other, as in ledger and hledger. */
  readonly isPriceInferred: boolean;
}

/** Sums by commodity. */
type Sums = Map<string, Fixed>;

/**
 * Gives each posting its amount and value, and checks that they balance.
 * `assigned` are the amounts of postings that only have a balance, by posting.
 * Errors: Refusal at a transaction that does not balance.
 */
export function resolve(
  transaction: Transaction,
  assigned: ReadonlyMap<Posting, Quantity>,
  { isMoney, isPriceInferred }: Balancing,
): Resolved[] {
  const withBucket = addBucket(transaction, assigned);
  const elided = withBucket.filter((posting) => quantityOf(posting, assigned) === null);
  if (elided.length > 1 && elided.some(({ amount }) => amount.commodity === null)) {
    throw new Refusal('More than one posting has no amount', elided[1]!.line);
  }
  const given = withBucket.flatMap((posting) => {
    const quantity = quantityOf(posting, assigned);
    return quantity === null ? [] : [{ posting, quantity }];
  });
  const tolerances = new Tolerances(given);
  const byCost = given.map((one) => resolved(one, true));
  // Importers write drafts of transactions that do not say yet what the money is for.
  if (isDraft(withBucket) && isMoney(withBucket[0]!.account)) return byCost;
  if (elided.length > 0) return inferElided(byCost, elided, tolerances, isMoney);
  const unknown = byCost.filter(({ weight }) => weight === null);
  if (unknown.length > 0) return inferWeight(byCost, unknown);
  if (tolerances.allow(sumsOf(byCost))) return byCost;
  const byPrice = given.map((one) => resolved(one, false));
  if (tolerances.allow(sumsOf(byPrice))) return byPrice;
  if (isPriceInferred && tolerances.allowRounding(sumsOf(byCost))) return byCost;
  const converted = isPriceInferred ? convert(byCost, tolerances, isMoney) : null;
  return converted ?? refuse(sumsOf(byCost), tolerances);
}

function quantityOf(posting: Posting, assigned: ReadonlyMap<Posting, Quantity>): Quantity | null {
  return posting.amount.quantity ?? assigned.get(posting) ?? null;
}

/** Whether a transaction has one posting, with an amount. */
export function isDraft(postings: readonly { readonly amount: Posting['amount'] }[]): boolean {
  return postings.length === 1 && postings[0]!.amount.quantity !== null;
}

/** Adds the default account to a transaction with a single posting. */
function addBucket(
  { postings, bucket }: Transaction,
  assigned: ReadonlyMap<Posting, Quantity>,
): readonly Posting[] {
  const [only] = postings;
  if (bucket === null || only === undefined || postings.length > 1) return postings;
  if (quantityOf(only, assigned) === null) return postings;
  const { line, isPending, date } = only;
  return [only, { line, account: bucket, isPending, date, notes: [], amount: NO_AMOUNT }];
}

interface Given {
  readonly posting: Posting;
  readonly quantity: Quantity;
}

function resolved({ posting, quantity }: Given, isCostFirst: boolean): Resolved {
  const { cost, price } = posting.amount;
  const { commodity, value } = quantity;
  const prices = isCostFirst ? [cost, price] : [price, cost];
  const used = prices.find((one): one is Price => one !== null);
  const weight = used === undefined ? { commodity, value } : worth(quantity, used);
  return { posting, commodity, value, weight, isLot: cost !== null, isInferred: false };
}

function sumsOf(all: readonly Resolved[]): Sums {
  const sums: Sums = new Map();
  for (const { weight } of all) {
    if (weight !== null)
      sums.set(weight.commodity, (sums.get(weight.commodity) ?? 0n) + weight.value);
  }
  return sums;
}

/** How far the sum of each commodity may be from zero: half a unit of the least precise fraction, as in beancount. */
class Tolerances {
  readonly #places = new Map<string, number>();
  readonly #mostPlaces = new Map<string, number>();
  /** Number of prices in each commodity. */
  readonly #priced = new Map<string, number>();

  constructor(given: readonly Given[]) {
    for (const { posting, quantity } of given) {
      const { cost, price } = posting.amount;
      const { commodity, places } = quantity;
      this.#mostPlaces.set(commodity, Math.max(places, this.#mostPlaces.get(commodity) ?? 0));
      if (places > 0) {
        this.#places.set(commodity, Math.min(places, this.#places.get(commodity) ?? PLACES));
      }
      for (const one of [cost, price]) {
        const unit = one?.quantity?.commodity;
        if (unit !== undefined) this.#priced.set(unit, (this.#priced.get(unit) ?? 0) + 1);
      }
    }
  }

  /** Whether the sums are zero, as far as the amounts are written. */
  allow(sums: Sums): boolean {
    return [...sums].every(([commodity, sum]) => this.isZero(commodity, sum));
  }

  isZero(commodity: string, sum: Fixed): boolean {
    const places = this.#places.get(commodity) ?? (this.#priced.has(commodity) ? 2 : null);
    return places === null ? sum === 0n : 2n * abs(sum) <= unit(places);
  }

  /** Whether the sums are zero if each price is rounded before it is added, as ledger does. */
  allowRounding(sums: Sums): boolean {
    return [...sums].every(([commodity, sum]) => {
      const times = this.#priced.get(commodity) ?? 0;
      return this.isZero(commodity, divideEvenly(sum, BigInt(Math.max(1, times))));
    });
  }

  /** Rounds what follows from a price to cents, or to the decimals of other amounts. */
  rounded(commodity: string, value: Fixed): Fixed {
    if (!this.#priced.has(commodity)) return value;
    return round(value, Math.max(2, this.#mostPlaces.get(commodity) ?? 0));
  }
}

/** The elided posting takes what the others leave, in each commodity. */
function inferElided(
  given: readonly Resolved[],
  elided: readonly Posting[],
  tolerances: Tolerances,
  isMoney: IsMoney,
): Resolved[] {
  const unknown = given.filter(({ weight }) => weight === null);
  if (unknown.length > 0) {
    const cash = elided.find(({ account }) => isMoney(account));
    if (cash !== undefined) {
      throw new Refusal('Amount depends on the cost of a lot, which is not written', cash.line);
    }
    return inferWeight(given, unknown);
  }
  const sums = sumsOf(given);
  const inferred: Resolved[] = [];
  for (const posting of elided) {
    const own = posting.amount.commodity;
    for (const [commodity, sum] of sums) {
      if (own !== null && own !== commodity) continue;
      const value = tolerances.rounded(commodity, -sum);
      if (value === 0n) continue;
      const weight = { commodity, value };
      inferred.push({ posting, commodity, value, weight, isLot: false, isInferred: true });
    }
    if (own !== null) sums.delete(own);
  }
  return [...given, ...inferred];
}

/** One lot without its cost is worth what the others leave. */
function inferWeight(all: readonly Resolved[], unknown: readonly Resolved[]): Resolved[] {
  const left = [...sumsOf(all)].filter(([, sum]) => sum !== 0n);
  const [only] = left;
  if (left.length > 1) {
    throw new Refusal(
      'Value of a lot without its cost cannot be inferred',
      unknown[0]!.posting.line,
    );
  }
  const weight = only === undefined ? null : { commodity: only[0], value: -only[1] };
  return all.map((one) => (one === unknown[0] ? { ...one, weight } : one));
}

/** Two commodities without a price are worth each other. */
function convert(
  all: readonly Resolved[],
  tolerances: Tolerances,
  isMoney: IsMoney,
): Resolved[] | null {
  const left = [...sumsOf(all)].filter(([commodity, sum]) => !tolerances.isZero(commodity, sum));
  const [first, second] = left;
  if (first === undefined || second === undefined || left.length > 2) return null;
  if (first[1] < 0n === second[1] < 0n) return null;
  const cash = all.find(
    ({ posting, commodity }) => isMoney(posting.account) && currencyOf(commodity) !== null,
  );
  const [from, to] = cash?.commodity === first[0] ? [second, first] : [first, second];
  const rate = divide(abs(to[1]), abs(from[1]));
  if (rate === null) return null;
  return all.map((one) => {
    if (one.weight?.commodity !== from[0]) return one;
    const value = multiply(one.weight.value, rate);
    return { ...one, weight: { commodity: to[0], value } };
  });
}

function refuse(sums: Sums, tolerances: Tolerances): never {
  const off = [...sums]
    .filter(([commodity, sum]) => !tolerances.isZero(commodity, sum))
    .slice(0, 3)
    .map(([commodity, sum]) => `${shown(sum)} ${commodity}`.trim());
  throw new Refusal(`Transaction does not balance: it is off by ${off.join(', ')}`);
}
