import { noFileStore } from '../../packages/server/src/files/store.ts';
import { testServices } from '../../packages/server/src/http/testing/test-app.ts';
import { ManualClock } from '../../packages/server/src/limiter/testing/manual-clock.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import type { CryptoRefreshError } from '../../packages/server/src/outside/provider-error.ts';
import type { Providers } from './crypto-providers.ts';
import { newName, type GoodRequest } from './json-requests.ts';
import type { Answer } from './http-exchange.ts';
import { startServiceWith, type Service } from './started-service.ts';

const clock = (): ManualClock => new ManualClock(5_000_000, 1_700_000_000_250_000);

export function startBroken(error: Error): Promise<Service> {
  const fail = (): Promise<never> => Promise.reject(error);
  return startServiceWith(clock(), { faults: { read: fail, readStatement: fail, write: fail } });
}

/** Starts a service whose providers and price source fail, except for `calmly`; ada has a crypto account. */
export async function startForsaken(
  providers: Providers,
  error: CryptoRefreshError,
): Promise<Service & { readonly calmly: <T>(work: () => Promise<T>) => Promise<T> }> {
  const fail = (): Promise<never> => Promise.reject(error);
  let isCalm = false;
  const claim = () => (isCalm ? Promise.resolve(Buffer.of(1)) : fail());
  const services = {
    cryptoReader: { read: fail },
    assetSource: { find: fail, prices: fail },
    bankReader: { setup: 'on', claim, read: fail },
  } as const;
  const forsaken = await startServiceWith(clock(), { services });
  await providers.add(forsaken.engine, forsaken.ada, 'ethereum');
  const calmly = <T>(work: () => Promise<T>): Promise<T> => {
    isCalm = true;
    return work().finally(() => (isCalm = false));
  };
  return { ...forsaken, calmly };
}

/** A service that can hold a request in the middle of its work; ada has a crypto account. */
export interface HoldingService extends Service {
  /** Sends a request twice with one Idempotency-Key. Returns the response that comes while the first is under way. */
  repeatTooSoon(request: GoodRequest): Promise<Answer>;
}

interface Gate {
  writes: number;
  readonly reached: PromiseWithResolvers<void>;
  readonly opened: PromiseWithResolvers<void>;
}

export async function startHolding(providers: Providers): Promise<HoldingService> {
  let gate: Gate | undefined;
  const faults = (engine: Engine): Partial<Engine> => ({
    write: async (steps, options) => {
      // The first write claims the key; the second one is the request's own.
      if (gate !== undefined && (gate.writes += 1) === 2) {
        gate.reached.resolve();
        await gate.opened.promise;
      }
      return engine.write(steps, options);
    },
  });
  const holding = await startServiceWith(clock(), { faults, services: calmServices });
  await providers.add(holding.engine, holding.ada, 'ethereum');
  return {
    ...holding,
    async repeatTooSoon({ target, asking }) {
      const key = ['Idempotency-Key', newName()];
      const keyed = { ...asking, headers: [...(asking.headers ?? []), ...key] };
      gate = { writes: 0, reached: Promise.withResolvers(), opened: Promise.withResolvers() };
      const first = holding.ask(target, keyed);
      await Promise.race([first, gate.reached.promise]);
      const second = await holding.ask(target, keyed);
      gate.opened.resolve();
      await first;
      return second;
    },
  };
}

const calmServices = {
  ...testServices(Date.now),
  files: { ...noFileStore, write: () => Promise.resolve(), remove: () => Promise.resolve() },
  assetSource: {
    find: (id: string) => Promise.resolve({ coingecko_id: id, symbol: id, name: id }),
    prices: () => Promise.resolve([]),
  },
};
