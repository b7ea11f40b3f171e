import type { PrivateTargets } from './outside/guarded-request.ts';
import { isWithin, type Network } from './limiter/address.ts';

/** Returns the private addresses that webhooks, and names of other services, may lead to. */
export function privateTargetsOf(networks: readonly Network[]): PrivateTargets {
  return {
    areAllowed: networks.length > 0,
    allows: (address) => isWithin(address, networks),
  };
}
