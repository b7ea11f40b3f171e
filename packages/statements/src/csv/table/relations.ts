/** A column of numbers, one for each row. */
export interface Numbers {
  readonly index: number;
  readonly values: readonly number[];
}

/** Columns of a table with a balance before and after each amount. */
export type Openings = Of<number>;
type Of<T> = Readonly<Record<'opening' | 'amount' | 'closing', T>>;

/**
 * The columns of which one is the balance before each row, one the amount, and one their sum, the balance after it,
 * with which most next rows begin. `isKnown`: the bank is known to write such columns side by side, so that one row is
 * enough. Null if none or several are.
 */
export function openingsOf(columns: readonly Numbers[], isKnown = false): Openings | null {
  const found = sumsOf(columns).filter(({ opening, closing }) => {
    const isBeside = isKnown && opening.index + 1 === closing.index;
    const links = linksOf(opening, closing);
    return isBeside || (links > 0 && links * 2 >= opening.values.length - 1);
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return null;
  const { opening, amount, closing } = only;
  return { opening: opening.index, amount: amount.index, closing: closing.index };
}

/** All columns that are the sum of two others in every row, and not equal to one of them. */
function sumsOf(columns: readonly Numbers[]): Of<Numbers>[] {
  return columns.flatMap((closing) =>
    columns.flatMap((opening) =>
      columns
        .filter((amount) => new Set([opening, amount, closing]).size === 3)
        .filter((amount) => isSum(closing, opening, amount))
        .map((amount) => ({ opening, amount, closing })),
    ),
  );
}

function isSum({ values }: Numbers, one: Numbers, other: Numbers): boolean {
  const isZero = (numbers: Numbers) => numbers.values.every((value) => value === 0);
  if (values.length === 0 || isZero(one) || isZero(other)) return false;
  return values.every((value, row) => value === one.values[row]! + other.values[row]!);
}

/** How many rows begin with the balance after the row before them, in one order of rows or the other. */
function linksOf(opening: Numbers, closing: Numbers): number {
  const [starts, ends] = [opening.values, closing.values];
  const down = starts.filter((start, row) => row > 0 && start === ends[row - 1]).length;
  const up = ends.filter((end, row) => row > 0 && end === starts[row - 1]).length;
  return Math.max(down, up);
}

/**
 * The columns that can be the whole amount of a row: no balances, which change by another column, and no parts of
 * another column.
 */
export function wholeAmounts(columns: readonly Numbers[]): Numbers[] {
  const openings = openingsOf(columns);
  if (openings !== null) return columns.filter(({ index }) => index === openings.amount);
  const sums = sumsOf(columns);
  // One row shows no difference between parts and balances.
  if (sums.length > 0 && columns[0]!.values.length < 2) return [];
  const parts = new Set(sums.flatMap(({ opening, amount }) => [opening, amount]));
  return columns.filter(
    (column) => !parts.has(column) && !columns.some((other) => isBalanceOf(column, other)),
  );
}

/** The only column that changes from row to row by the amounts, over some rows; null if none or several do. */
export function balanceOf(amount: Numbers, columns: readonly Numbers[]): number | null {
  const found = columns.filter((each) => each.values.length > 2 && isBalanceOf(each, amount));
  return found.length === 1 ? found[0]!.index : null;
}

/** Whether a column changes from row to row by the size of another, in one order of rows or the other. */
function isBalanceOf(balance: Numbers, amount: Numbers): boolean {
  if (balance === amount) return false;
  const { values } = balance;
  const steps = values.slice(1).map((value, row) => Math.abs(value - values[row]!));
  if (steps.every((step) => step === 0)) return false;
  const follows = (offset: number): boolean =>
    steps.every((step, at) => step === Math.abs(amount.values[at + offset]!));
  return follows(1) || follows(0);
}
