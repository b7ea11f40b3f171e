import assert from 'node:assert/strict';
import { after } from 'node:test';
import { LunchMoneyClient, LunchMoneyError } from '@lunch-money/lunch-money-js-v2';
import {
  vendorOperations,
  vendorProblems,
} from '../../../packages/server/src/http/testing/vendor-document.ts';
import { startProviders, type Providers } from '../../service/crypto-providers.ts';
import { startService, type Service } from '../../service/started-service.ts';

/** The client inside the official one, whose types are not published. It has the paths that have no method. */
interface RawClient {
  GET(path: string, init?: object): Promise<RawAnswer>;
  POST(path: string, init?: object): Promise<RawAnswer>;
  PUT(path: string, init?: object): Promise<RawAnswer>;
  DELETE(path: string, init?: object): Promise<RawAnswer>;
}
interface RawAnswer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: { readonly status: number };
}

/** The official client at a started service, and a record of what was called. */
export interface StartedClient {
  readonly service: Service;
  readonly providers: Providers;
  /** The client of ada. */
  readonly client: LunchMoneyClient;
  readonly rawClient: RawClient;
  /** The methods of `client` that were called, such as `tags.getAll`. */
  readonly methods: ReadonlySet<string>;
  /** The operations of the vendor's document that were requested, such as `GET /v2/tags`. */
  readonly operations: ReadonlySet<string>;
  readonly clientOf: (apiKey: string) => LunchMoneyClient;
}

/** Starts a service and the client of its first user. */
export async function startClient(): Promise<StartedClient> {
  const providers = await startProviders();
  after(() => providers.close());
  const flags = { ...providers.flags, rateLimit: '100000/24h' };
  const service = await startService(flags, providers.environment);
  after(() => service.close());
  const [methods, operations] = [new Set<string>(), new Set<string>()];
  const clientOf = (apiKey: string): LunchMoneyClient =>
    new LunchMoneyClient({
      apiKey,
      baseUrl: `${service.baseUrl}/v2`,
      fetch: (request) => fetchChecked(request, operations),
    });
  const client = clientOf(service.ada.token);
  const rawClient = client.rawClient as RawClient;
  const recording = recordCalls(client, methods);
  return { service, providers, client: recording, rawClient, methods, operations, clientOf };
}

const patterns = vendorOperations().map(({ name }) => ({
  name,
  pattern: new RegExp(`^${name.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Sends a request, and compares its response with the vendor's document. */
async function fetchChecked(request: Request, operations: Set<string>): Promise<Response> {
  const { method, url } = request;
  const { pathname, search } = new URL(url);
  const fitting = patterns.filter(({ pattern }) => pattern.test(`${method} ${pathname}`));
  const [found] = fitting.toSorted((one, other) => parametersOf(one) - parametersOf(other));
  if (found !== undefined) operations.add(found.name);
  const response = await fetch(request);
  const text = await response.clone().text();
  const compared = { method, target: pathname + search, status: response.status, text };
  assert.deepEqual(vendorProblems(compared), []);
  return response;
}

function parametersOf({ name }: { readonly name: string }): number {
  return name.split('{').length;
}

/** The parts of the client that have methods. */
export const parts = Object.entries(Object.getOwnPropertyDescriptors(LunchMoneyClient.prototype))
  .filter(([name, descriptor]) => 'get' in descriptor && name !== 'rawClient')
  .map(([name]) => name);

function recordCalls(client: LunchMoneyClient, methods: Set<string>): LunchMoneyClient {
  return new Proxy(client, {
    get: (target, part) => {
      const value: unknown = Reflect.get(target, part, target);
      if (!parts.includes(String(part))) return value;
      return new Proxy(value as object, {
        get: (object, name) => {
          methods.add(`${String(part)}.${String(name)}`);
          return Reflect.get(object, name) as unknown;
        },
      });
    },
  });
}

/** Returns the error of the client. */
export async function errorOf(work: Promise<unknown>): Promise<LunchMoneyError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof LunchMoneyError, String(outcome));
  return outcome;
}

/** Returns the status, the message and the texts of a refused call. */
export async function refusal(
  work: Promise<unknown>,
): Promise<[number | undefined, string, string[]]> {
  const { status, message, errors } = await errorOf(work);
  return [status, message, errors.map(({ errMsg }) => errMsg)];
}
