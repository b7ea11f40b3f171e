/** Runs what belongs to one key one after the other, in the order of asking; other keys do not wait. */
export interface Lanes {
  /** Settles as the run does. A run that fails holds up nobody. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** How many keys have something under way. */
  readonly size: number;
}

/** Makes lanes, which are forgotten as soon as they are empty. */
export function createLanes(): Lanes {
  const tails = new Map<string, Promise<unknown>>();
  return {
    get size() {
      return tails.size;
    },
    async run(key, work) {
      const before = tails.get(key) ?? Promise.resolve();
      const turn = before.then(work);
      const tail = turn.catch(() => undefined);
      tails.set(key, tail);
      try {
        return await turn;
      } finally {
        if (tails.get(key) === tail) tails.delete(key);
      }
    },
  };
}
