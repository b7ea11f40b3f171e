import type { Readiness } from '../records/readiness.ts';
import type { Store } from '../records/store.ts';

const keptMs = 1000;
const timeoutMs = 2000;
const unready: Readiness = { canRead: false, canWrite: false };

/**
 * Returns what says how the store stands, and asks the store itself at most once a second.
 *
 * Whoever asks while the store is being asked gets the same answer. A store that says nothing for two seconds is taken
 * for one that can neither read nor write; it is asked again when it has spoken. `now` in milliseconds.
 */
export function readinessOf(store: Pick<Store, 'readiness'>, now: () => number) {
  let askedAtMs = -Infinity;
  let underWay: Promise<Readiness> | undefined;
  let latest: Promise<Readiness> = Promise.resolve(unready);
  return (): Promise<Readiness> => {
    // A clock that was set back must not keep an old answer for ever.
    if (underWay !== undefined || Math.abs(now() - askedAtMs) < keptMs) return latest;
    askedAtMs = now();
    underWay = ask(store).finally(() => (underWay = undefined));
    latest = withinTime(underWay);
    return latest;
  };
}

async function ask(store: Pick<Store, 'readiness'>): Promise<Readiness> {
  try {
    return await store.readiness();
  } catch {
    return unready;
  }
}

function withinTime(asked: Promise<Readiness>): Promise<Readiness> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(unready), timeoutMs);
    void asked.then((readiness) => {
      clearTimeout(timer);
      resolve(readiness);
    });
  });
}
