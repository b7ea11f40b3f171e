/** Returns one property of each. */
export function pick<T, K extends keyof T>(all: readonly T[], key: K): T[K][];
/** Returns several properties of each, as a list. */
export function pick<T>(all: readonly T[], ...keys: readonly (keyof T)[]): unknown[][];
export function pick<T>(all: readonly T[], ...keys: readonly (keyof T)[]): unknown[] {
  const [only] = keys;
  if (keys.length === 1) return all.map((each) => each[only!]);
  return all.map((each) => keys.map((key) => each[key]));
}
