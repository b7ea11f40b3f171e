/*
 * How a resource declares its methods: a shape for each response, and one call for each method.
 *
 * A response is checked only as far as this library depends on it: lists are lists, records have ids. Its types come
 * from the API document.
 */
import { ArgumentError, MalformedResponseError } from '../sending/errors.ts';
import type { components, operations } from '../sending/openapi-types.ts';
import { quote, type CallOptions } from '../sending/options.ts';
import type { RequestOptions, Requests } from '../sending/requests.ts';
import { isObject } from '../sending/transport.ts';

/** The query of an operation, by its id in the API documents. */
export type QueryOf<Id extends keyof operations> = NonNullable<
  operations[Id]['parameters']['query']
>;

/** A record or a body, by its name in the API documents. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** The form that a response body must have. */
export interface Shape<T> {
  /** For error messages: `a category`. */
  readonly name: string;
  /** Returns what the method resolves to, or null when the body has another form. */
  read(body: unknown): T | null;
}

/**
 * Sends a request and resolves to the body as `shape` reads it. Rejects with {@link MalformedResponseError} when the
 * body has another form.
 *
 * The parts of `path` are texts and ids: `['tags', { id: 7 }]`. Rejects with {@link ArgumentError} when an id is not
 * a positive integer. A POST has a key, so that it may be retried.
 */
export type Call = <T>(
  shape: Shape<T>,
  path: Path,
  options?: Omit<RequestOptions, 'path'>,
) => Promise<T>;

/** Texts and ids. */
export type Path = readonly (string | { readonly id: number })[];

/** Methods for single records of a resource. */
export interface RecordMethods<T, Insert, Update, DeleteQuery> {
  /** One record. ApiError 404: it does not exist. */
  get(id: number, options?: CallOptions): Promise<T>;
  /** Creates a record and resolves to it. ApiError 400: a value is not valid, or the name is taken. */
  create(record: Insert, options?: CallOptions): Promise<T>;
  /** Changes the given properties and resolves to the whole record. ApiError 400 and 404 as above. */
  update(id: number, changes: Update, options?: CallOptions): Promise<T>;
  /** Deletes a record. DependentsError: others depend on it, and the query has no `force`. */
  delete(id: number, query?: DeleteQuery, options?: CallOptions): Promise<void>;
}

/** The {@link RecordMethods} of the resource at `path`, such as `['tags']`. */
export function recordMethods<
  T,
  Insert,
  Update,
  DeleteQuery extends NonNullable<RequestOptions['query']>,
>(call: Call, path: Path, record: Shape<T>): RecordMethods<T, Insert, Update, DeleteQuery> {
  return {
    get: (id, options) => call(record, [...path, { id }], options),
    create: (body, options) => call(record, path, { ...options, method: 'POST', body }),
    update: (id, body, options) =>
      call(record, [...path, { id }], { ...options, method: 'PUT', body }),
    delete: (id, query, options) =>
      call(nothing, [...path, { id }], { ...options, method: 'DELETE', query }),
  };
}

/** Any body, which is ignored. */
export const nothing: Shape<undefined> = { name: 'empty', read: () => undefined };

/** The {@link Call} of a client for one of the two APIs. With `hasKeys`, every POST has a new key. */
export function callerOf(requests: Requests, api: 'v2' | 'coffer', hasKeys: boolean): Call {
  return async (shape, parts, options) => {
    const path = parts.map((part) => `/${encodePart(part)}`).join('');
    const isKeyed = hasKeys && options?.method === 'POST';
    const key = isKeyed ? { idempotencyKey: newKey() } : {};
    const { value, status, ...sent } = await requests({ ...options, ...key, api, path });
    const result = shape.read(value);
    if (result !== null) return result;
    throw new MalformedResponseError(`the body is not ${shape.name}`, { status }, sent);
  };
}

/** 128 random bits. Browsers have no `randomUUID` on pages without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** An object without an id. */
export function objectShape<T extends object>(name: string): Shape<T> {
  return { name, read: (body) => (isObject(body) ? (body as T) : null) };
}

/** An object with an id. */
export function recordShape<T extends { readonly id: number }>(name: string): Shape<T> {
  return { name, read: (body) => (hasId(body) ? (body as T) : null) };
}

/** A list of objects with ids, in a body like `{ "tags": [] }`. */
export function listShape<T extends { readonly id: number }>(key: string): Shape<readonly T[]> {
  return arrayShape(key, hasId);
}

/** A list of objects, in a body like `{ "tags": [] }`; each must pass `isItem`. */
export function arrayShape<T extends object>(
  key: string,
  isItem: (value: unknown) => boolean = isObject,
): Shape<readonly T[]> {
  return {
    name: `{ ${key} }`,
    read: (body) => {
      const items = isObject(body) ? body[key] : null;
      return Array.isArray(items) && items.every(isItem) ? (items as T[]) : null;
    },
  };
}

function hasId(value: unknown): value is { readonly id: number } {
  return isObject(value) && Number.isSafeInteger(value['id']);
}

function encodePart(part: string | { readonly id: number }): string {
  if (typeof part === 'string') return encodeURIComponent(part);
  if (Number.isSafeInteger(part.id) && part.id > 0) return String(part.id);
  throw new ArgumentError([`id must be a positive integer, not ${quote(part.id)}`]);
}
