import { documents } from './document-check.ts';
import { isOfUsers, signedIn } from './signed-in.ts';
import { recipes, withBody } from './recipes.ts';
import type { Recipe } from './recipes.ts';
import { recipesV1 } from './recipes-v1.ts';
import type { Asking, Service, User } from './started-service.ts';

export { idOf, newName, withBody } from './recipes.ts';

/** An operation of a document: its method and its path, such as `PUT /v2/tags/{id}`. */
export type OperationName = `${string} /${string}`;

/** Every operation of v2, of v1, and of Coffer's own. */
export const operationNames: readonly OperationName[] = documents
  .flatMap(({ paths }) => Object.entries(paths))
  .flatMap(([path, item]) =>
    Object.keys(item).map((method): OperationName => `${method.toUpperCase()} /${path.slice(1)}`),
  );

/** A request for {@link Service.ask}. */
export interface GoodRequest {
  readonly target: string;
  readonly asking: Asking & { readonly method: string };
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
  const { values = {}, query, body, headers, raw } = await partsOf(service, operation, as);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  const target = query === undefined ? filled : `${filled}?${query}`;
  if (isOfUsers(path)) return { target, asking: await signedIn(service, method, body, as) };
  if (raw !== undefined)
    return { target, asking: { method, as, headers: headers ?? [], body: raw } };
  return { target, asking: body === undefined ? { method, as } : withBody(method, body, as) };
}

/** The path of GET with the id of another operation's record, where only that one has a recipe. */
async function partsOf(service: Service, operation: OperationName, as: User): ReturnType<Recipe> {
  const recipe = recipes[operation] ?? recipesV1[operation];
  if (recipe !== undefined) return recipe(service, as);
  if (operation.includes('{')) throw new Error(`There is no recipe for ${operation}`);
  return {};
}

/** Returns the same request for a record that does not exist: its path has another id, or else the ids in its body. */
export function withMissingId({ target, asking }: GoodRequest): GoodRequest {
  const id = '87654321';
  const other = target.replace(/(?<=\/)\d+/, id);
  if (other !== target || typeof asking.body !== 'string') return { target: other, asking };
  const body = asking.body.replace(/(?<="(parent_)?ids":\[)[\d,]+/, id);
  return { target, asking: { ...asking, body } };
}

/** Returns a request whose target has one more query parameter. */
function withQuery({ target, asking }: GoodRequest, parameter: string): GoodRequest {
  return { target: `${target}${target.includes('?') ? '&' : '?'}${parameter}`, asking };
}

/** Returns a request that cannot be read: v1 ignores unknown parameters. */
export function malformed(request: GoodRequest, operation: OperationName): GoodRequest {
  const { target, asking } = request;
  if (operation.includes(' /v1/')) return { target: `${target}#part`, asking };
  return withQuery(request, 'no_such_parameter=1');
}

/** Returns another request of the operation, as one with the same Idempotency-Key. */
export async function otherRequest(
  service: Service,
  request: GoodRequest,
  operation: OperationName,
): Promise<GoodRequest> {
  const range = { start_date: '2026-01-01', end_date: '2026-01-31' };
  if (operation === 'POST /v2/plaid_accounts/fetch')
    return withQuery(request, String(new URLSearchParams(range)));
  if (operation === 'POST /coffer/undo') return withQuery(request, 'conflicts=skip');
  if (operation === 'POST /coffer/rules/apply' || operation === 'POST /v1/plaid_accounts/fetch')
    return { target: request.target, asking: withBody('POST', range) };
  return operation.includes('{') ? withMissingId(request) : goodRequest(service, operation);
}
