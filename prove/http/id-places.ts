import { operations, resolved, type Operation, type Schema } from './api-document.ts';
import type { MarkedOwner } from './two-books.ts';

/** The kinds of records with ids. */
export type RecordKind = 'transaction' | 'manual' | 'plaid' | 'category' | 'tag' | 'crypto';

/** A place in a request that holds the id of a record. */
export interface IdPlace {
  readonly method: string;
  /** As in the API document. */
  readonly path: string;
  /** `path id`, `query category_id`, `body group_id`, `body children[].id`. */
  readonly place: string;
  /** The kind of the record; null if books cannot hold such records yet. */
  readonly kind: RecordKind | null;
}

const inCategoryBody = {
  'body group_id': 'category',
  'body children[]': 'category',
  'body children[].id': 'category',
} as const;

/**
 * Every operation of the API document, with the kind of each id by its place. An operation without ids has an empty
 * entry; its list is searched for records of others.
 */
const matrix: Readonly<Record<string, Readonly<Record<string, RecordKind | null>>>> = {
  'GET /v2/me': {},
  'GET /v2/transactions': {
    'query manual_account_id': 'manual',
    'query plaid_account_id': 'plaid',
    'query recurring_id': null,
    'query category_id': 'category',
    'query tag_id': 'tag',
  },
  'GET /v2/transactions/{id}': { 'path id': 'transaction' },
  'GET /v2/categories': {},
  'POST /v2/categories': inCategoryBody,
  'GET /v2/categories/{id}': { 'path id': 'category' },
  'PUT /v2/categories/{id}': { 'path id': 'category', 'body id': 'category', ...inCategoryBody },
  'DELETE /v2/categories/{id}': { 'path id': 'category' },
  'GET /v2/tags': {},
  'POST /v2/tags': {},
  'GET /v2/tags/{id}': { 'path id': 'tag' },
  'PUT /v2/tags/{id}': { 'path id': 'tag', 'body id': 'tag' },
  'DELETE /v2/tags/{id}': { 'path id': 'tag' },
  'GET /v2/crypto/synced': {},
  'GET /v2/crypto/synced/{id}': { 'path id': 'crypto' },
  'GET /v2/crypto/synced/{id}/{symbol}': { 'path id': 'crypto' },
  'POST /v2/crypto/synced/{id}/refresh': { 'path id': 'crypto' },
};

/** The id places of the API document, compared with the matrix. */
interface IdPlaces {
  readonly places: readonly IdPlace[];
  /** Paths of lists. */
  readonly lists: readonly string[];
  /** Operations and places that the document has and the matrix lacks. */
  readonly problems: readonly string[];
}

/** Finds every place of an id in the API document. */
export function findIdPlaces(): IdPlaces {
  const places: IdPlace[] = [];
  const lists: string[] = [];
  const problems: string[] = [];
  for (const operation of operations) {
    const { method, path } = operation;
    const known = matrix[`${method} ${path}`];
    const found = placesOf(operation);
    if (known === undefined) problems.push(`${method} ${path} is not in the matrix`);
    const isOne = found.some((place) => place.startsWith('path'));
    if (method === 'GET' && !isOne) lists.push(path);
    for (const place of found) {
      const kind = known?.[place];
      if (kind !== undefined) places.push({ method, path, place, kind });
      else if (known !== undefined)
        problems.push(`${method} ${path} ${place} is not in the matrix`);
    }
  }
  return { places, lists, problems };
}

function placesOf({ parameters, body }: Operation): string[] {
  const inTarget = parameters
    .filter(({ name }) => isIdName(name))
    .map((parameter) => `${parameter.in} ${parameter.name}`);
  return [...inTarget, ...(body === undefined ? [] : idsIn(body, 'body '))];
}

/** Returns the places of ids in a body: properties named like one, and integers in lists of `children`. */
function idsIn(schema: Schema, at: string): string[] {
  const { properties = {}, items, anyOf = [], type } = resolved(schema);
  const isListed = at.endsWith('children[]') && type === 'integer' ? [at] : [];
  const inProperties = Object.entries(properties).flatMap(([name, each]) => {
    const place = at.endsWith(' ') ? at + name : `${at}.${name}`;
    return [...(isIdName(name) ? [place] : []), ...idsIn(each, place)];
  });
  const inItems = items === undefined ? [] : idsIn(items, `${at}[]`);
  return [...isListed, ...inProperties, ...inItems, ...anyOf.flatMap((each) => idsIn(each, at))];
}

function isIdName(name: string): boolean {
  return /(^|_)id$/.test(name);
}

/** A request to send. */
export interface IdRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a request of `sender` with `id` in its place. No record may have `name` yet. */
export function requestWith(
  { method, path, place }: IdPlace,
  id: number,
  sender: MarkedOwner,
  name: string,
): IdRequest {
  const [where, key = ''] = place.split(' ');
  const own = place.includes('children') ? sender.group : sender.ids[ownKindOf(path)].at(-1)!;
  const target =
    where === 'query'
      ? `${path}?${key}=${id}&include_pending=true&limit=50`
      : path.replace('{id}', String(where === 'path' ? id : own)).replace('{symbol}', 'btc');
  if (method !== 'POST' && method !== 'PUT') return { method, target };
  if (path.startsWith('/v2/crypto')) return { method, target };
  const body = JSON.stringify({
    ...(method === 'POST' ? { name } : { description: null }),
    ...(method === 'POST' && key.startsWith('children') && { is_group: true }),
    ...(key === 'children[]' && { children: [id] }),
    ...(key === 'children[].id' && { children: [{ id }] }),
    ...(where === 'body' && !key.startsWith('children') && { [key]: id }),
  });
  return { method, target, body, headers: { 'content-type': 'application/json' } };
}

function ownKindOf(path: string): RecordKind {
  return path.startsWith('/v2/tags') ? 'tag' : 'category';
}
