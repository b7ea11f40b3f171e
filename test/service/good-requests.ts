import { document } from './document-check.ts';
import type { Answer } from './http-exchange.ts';
import type { Asking, Service, User } from './started-service.ts';

/** An operation of the document: its method and its path, such as `PUT /v2/tags/{id}`. */
export type OperationName = `${string} /${string}`;

/** Every operation of the document. */
export const operationNames: readonly OperationName[] = Object.entries(document.paths).flatMap(
  ([path, item]) =>
    Object.keys(item).map((method): OperationName => `${method.toUpperCase()} /${path.slice(1)}`),
);

/** A request for {@link Service.ask}. */
export interface GoodRequest {
  readonly target: string;
  readonly asking: Asking & { readonly method: string };
}

const json = ['Content-Type', 'application/json'];
let names = 0;

/** Returns a name that no record has. */
export function newName(): string {
  return `Made ${(names += 1)}`;
}

/** Returns a request with a JSON body. */
export function withBody(method: string, body: unknown, as?: User): GoodRequest['asking'] {
  return { method, headers: json, body: JSON.stringify(body), ...(as && { as }) };
}

/** The bodies of operations that require one. */
const bodies: Readonly<Record<OperationName, () => object>> = {
  'POST /v2/tags': () => ({ name: newName() }),
  'PUT /v2/tags/{id}': () => ({ description: newName() }),
  'POST /v2/categories': () => ({ name: newName(), is_income: true }),
  'PUT /v2/categories/{id}': () => ({ description: newName() }),
};

/** Returns the id of a record that belongs to a user; a new record where the API can create one. */
const ids: Readonly<Record<string, (service: Service, as: User) => Promise<number>>> = {
  '/v2/tags/': (service, as) => make(service, '/v2/tags', as),
  '/v2/categories/': (service, as) => make(service, '/v2/categories', as),
  '/v2/transactions/': async (service, as) =>
    (await service.list('limit=1', { as })).transactions[0]!.id,
  '/v2/crypto/synced/': async (service, as) => {
    const { text } = await service.ask('/v2/crypto/synced', { as });
    const [first] = (JSON.parse(text) as { crypto_synced: { id: number }[] }).crypto_synced;
    if (first === undefined) throw new Error(`${as.name} has no crypto account`);
    return first.id;
  },
};

async function make(service: Service, path: string, as: User): Promise<number> {
  return idOf(await service.ask(path, withBody('POST', { name: newName() }, as)));
}

/** Returns the id in the body of a response. */
export function idOf({ text }: Answer): number {
  return (JSON.parse(text) as { id: number }).id;
}

/**
 * Returns a request that the operation accepts from a user with transactions, and for crypto operations with an account
 * that holds ether. Its record belongs to that user, and is new where the API can create one.
 */
export async function goodRequest(
  service: Service,
  operation: OperationName,
  as: User = service.ada,
): Promise<GoodRequest> {
  const [method = '', path = ''] = operation.split(' ');
  const find = Object.entries(ids).find(([prefix]) => path.startsWith(`${prefix}{id}`))?.[1];
  const id = find === undefined ? '' : String(await find(service, as));
  const target = path.replace('{id}', id).replace('{symbol}', 'eth');
  const body = bodies[operation]?.();
  return { target, asking: body === undefined ? { method, as } : withBody(method, body, as) };
}

/** Returns the same request for a record that does not exist. */
export function withMissingId({ target, asking }: GoodRequest): GoodRequest {
  return { target: target.replace(/(?<=\/)\d+/, '87654321'), asking };
}
