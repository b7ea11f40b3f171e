import { readFileSync } from 'node:fs';

/** What an id can name. */
export type RecordKind = 'transaction' | 'manual' | 'plaid' | 'category' | 'tag' | 'crypto';

/** A place of a request where an id of a record stands. */
export interface IdPosition {
  /** `GET`, or whatever else the API document says. */
  readonly method: string;
  /** As in the API document. */
  readonly path: string;
  /** `path id`, `query category_id`. */
  readonly place: string;
  /** What the id names; null where books can hold no such record yet, so that no id of it is known. */
  readonly kind: RecordKind | null;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: unknown;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/**
 * Every operation of the API document, with what its ids name by place. One without ids has an empty entry: what it
 * lists is searched for what belongs to others.
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
  'GET /v2/categories/{id}': { 'path id': 'category' },
  'GET /v2/crypto/synced': {},
  'GET /v2/crypto/synced/{id}': { 'path id': 'crypto' },
  'GET /v2/crypto/synced/{id}/{symbol}': { 'path id': 'crypto' },
  'POST /v2/crypto/synced/{id}/refresh': { 'path id': 'crypto' },
};

/** What the API document has, held against the matrix. */
export interface Positions {
  readonly positions: readonly IdPosition[];
  /** Operations without an id, to be searched. */
  readonly lists: readonly { readonly method: string; readonly path: string }[];
  /** What the document has and the matrix has not. */
  readonly problems: readonly string[];
}

/** Reads the API document and finds every place in it where an id stands. */
export function findPositions(): Positions {
  const file = new URL('../docs/openapi.json', import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as Document;
  const positions: IdPosition[] = [];
  const lists: { method: string; path: string }[] = [];
  const problems: string[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    for (const [verb, operation] of Object.entries(operations)) {
      const method = verb.toUpperCase();
      const known = matrix[`${method} ${path}`];
      const places = idPlacesOf(operation);
      if (known === undefined) problems.push(`${method} ${path} is not in the matrix`);
      if (operation.requestBody !== undefined)
        problems.push(`${method} ${path} has a body, whose ids the matrix does not know`);
      if (!places.some((place) => place.startsWith('path'))) lists.push({ method, path });
      for (const place of places) {
        const kind = known?.[place];
        if (kind !== undefined) positions.push({ method, path, place, kind });
        else if (known !== undefined)
          problems.push(`${method} ${path} ${place} is not in the matrix`);
      }
    }
  }
  return { positions, lists, problems };
}

function idPlacesOf({ parameters = [] }: Operation): string[] {
  return parameters
    .filter(({ name }) => /(^|_)id$/.test(name))
    .map((parameter) => `${parameter.in} ${parameter.name}`);
}

/** Path and query of a request with `id` in its place. */
export function targetOf({ path, place }: IdPosition, id: number): string {
  const [where, name = ''] = place.split(' ');
  if (where === 'query') return `${path}?${name}=${id}&include_pending=true&limit=50`;
  return path.replace(`{${name}}`, String(id)).replace('{symbol}', 'btc');
}
