import { createApp } from '../../packages/server/src/http/app.ts';
import { createMemoryLimiter } from '../../packages/server/src/limiter/memory.ts';
import { parseTrustedProxies } from '../../packages/server/src/limiter/address/client-address.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import { noServices } from '../../packages/server/src/resources/services.ts';

/** Sends a request and returns the text of its response. Throws for a refusal. */
export type Send = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  body?: object,
) => Promise<string>;

/** Returns a function that sends requests to Coffer in this process, without a network. */
export function startApp(engine: Engine, token: string): Send {
  const rateLimit = { limit: 1_000_000_000, windowMs: 60_000 };
  const app = createApp({
    ...{ engine, services: noServices, trustedProxies: parseTrustedProxies('') },
    ...{ limiter: createMemoryLimiter({ rateLimit }), logLevel: 'silent' },
    cofferLimiter: createMemoryLimiter({ rateLimit }),
  });
  const headers = { authorization: `Bearer ${token}` };
  return async (method, url, body) => {
    const payload = body === undefined ? {} : { payload: body };
    const response = await app.inject({ method, url, headers, ...payload });
    if (response.statusCode < 300) return response.body;
    throw new Error(`${method} ${url} failed with ${response.statusCode}: ${response.body}`);
  };
}
