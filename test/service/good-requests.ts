import { documents } from './document-check.ts';
import { isOfUsers, signedIn } from './signed-in.ts';
import { recipes, withBody } from './recipes.ts';
import type { Recipe } from './recipes.ts';
import type { Asking, Service, User } from './started-service.ts';

export { idOf, newName, withBody } from './recipes.ts';

/** An operation of a document: its method and its path, such as `PUT /v2/tags/{id}`. */
export type OperationName = `${string} /${string}`;

/** Every operation of v2 and of Coffer's own. */
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
  const recipe = recipes[operation];
  if (recipe !== undefined) return recipe(service, as);
  if (operation.includes('{')) throw new Error(`There is no recipe for ${operation}`);
  return {};
}

/** Returns the same request for a record that does not exist: its path has another id, or else the ids in its body. */
export function withMissingId({ target, asking }: GoodRequest): GoodRequest {
  const id = '87654321';
  const other = target.replace(/(?<=\/)\d+/, id);
  if (other !== target || typeof asking.body !== 'string') return { target: other, asking };
  const body = asking.body.replace(/(?<="ids":\[)[\d,]+/, id);
  return { target, asking: { ...asking, body } };
}

/** Returns a request whose target has one more query parameter. */
export function withQuery({ target, asking }: GoodRequest, parameter: string): GoodRequest {
  return { target: `${target}${target.includes('?') ? '&' : '?'}${parameter}`, asking };
}
