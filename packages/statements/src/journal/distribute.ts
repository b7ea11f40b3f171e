import { transferNote } from '../statement/transfer.ts';
import { abs, divideEvenly, type Fixed } from './text/decimals.ts';

/** Money in or out of one account in one currency. */
export interface Movement {
  /** The account, as the book names it. */
  readonly name: string;
  /** In ten-thousandths. */
  readonly amount: bigint;
  /** Its value in the commodity that balances the transaction. */
  readonly weight: Fixed;
}

/** The reason why money moves: its value as the posting has it, positive for an expense. */
export interface Counterpart {
  readonly weight: Fixed;
  /** Null for a transfer, also into a holding. */
  readonly category: string | null;
  readonly notes: string | null;
}

/** A share of a movement. */
export interface Share {
  readonly amount: bigint;
  readonly category: string | null;
  readonly notes: string | null;
}

/**
 * Divides the counterparts of a transaction among its movements, all in one commodity; the shares of a movement total
 * its amount exactly. If all money goes the same way for one reason, each movement has this reason. Otherwise the
 * largest movement in the direction of their total has all reasons, and is a transfer to or from the others.
 */
export function distribute(
  movements: readonly Movement[],
  counterparts: readonly Counterpart[],
): Share[][] {
  const reasons = merged(counterparts);
  const [first] = movements;
  const [reason] = reasons;
  const isOneWay = movements.every(({ weight }) => weight < 0n === first!.weight < 0n);
  if (isOneWay && reasons.length === 1 && reason !== undefined) {
    return movements.map(({ amount }) => [{ ...reason, amount }]);
  }
  const main = mainOf(movements);
  return movements.map((movement) => {
    const { amount } = movement;
    if (movement !== main) return [{ amount, ...transferWith(main.name) }];
    const others = movements.filter((other) => other !== main);
    const transfers = others.map(({ weight, name }) => ({ weight, ...transferWith(name) }));
    return sharesOf(main, merged([...reasons, ...transfers]));
  });
}

/** The reason for money that goes to another account or into a holding. */
export function transferWith(account: string): Pick<Share, 'category' | 'notes'> {
  return { category: null, notes: transferNote(account) };
}

/** Adds up counterparts of one category and notes. */
function merged(counterparts: readonly Counterpart[]): Counterpart[] {
  const byKey = new Map<string, Counterpart>();
  for (const one of counterparts) {
    const key = JSON.stringify([one.category, one.notes]);
    byKey.set(key, { ...one, weight: one.weight + (byKey.get(key)?.weight ?? 0n) });
  }
  return [...byKey.values()];
}

function mainOf(movements: readonly Movement[]): Movement {
  const total = movements.reduce((sum, { weight }) => sum + weight, 0n);
  const same = movements.filter(({ weight }) => total === 0n || weight < 0n === total < 0n);
  return same.reduce((main, one) => (abs(one.weight) > abs(main.weight) ? one : main));
}

/** Shares in the currency of the movement. What rounding leaves is added to the largest. */
function sharesOf({ amount, weight }: Movement, counterparts: readonly Counterpart[]): Share[] {
  const shares = counterparts
    .map(({ category, notes, weight: own }) => ({
      category,
      notes,
      amount: weight === 0n ? 0n : divideEvenly(-own * amount, weight),
    }))
    .filter((share) => share.amount !== 0n);
  const [first] = shares;
  if (first === undefined) return [{ amount, category: null, notes: null }];
  const rest = amount - shares.reduce((sum, share) => sum + share.amount, 0n);
  const largest = shares.reduce((one, other) =>
    abs(other.amount) > abs(one.amount) ? other : one,
  );
  const exact = shares.map((share) =>
    share === largest ? { ...share, amount: share.amount + rest } : share,
  );
  return exact.length === 1
    ? [{ ...exact[0]!, amount }]
    : exact.filter((share) => share.amount !== 0n);
}
