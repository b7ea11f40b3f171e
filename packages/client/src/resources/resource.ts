/*
 * What a method consists of: a call, and the shape of its response.
 *
 * A response is checked only as far as this library depends on it: lists are lists, records have ids. Its types come
 * from the API document.
 */
import { ArgumentError, MalformedResponseError } from '../sending/errors.ts';
import type { components, operations } from '../sending/openapi-types.ts';
import { quote } from '../sending/options.ts';
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
  /** For error messages: `Category`. */
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

/** Any body, which is ignored. */
export const nothing: Shape<undefined> = { name: 'body', read: () => undefined };

/** The bytes of a body. */
export const file: Shape<File> = {
  name: 'file',
  read: (body) => (body instanceof File ? body : null),
};

/** The {@link Call} of a client for one of the two APIs. With `hasKeys`, every POST has a new key. */
export function callerOf(requests: Requests, api: 'v2' | 'coffer', hasKeys: boolean): Call {
  return async (shape, parts, options) => {
    const path = parts.map((part) => `/${encodePart(part)}`).join('');
    const isKeyed = hasKeys && options?.method === 'POST';
    const key = isKeyed ? { idempotencyKey: newKey() } : {};
    const { value, status, ...sent } = await requests({ ...options, ...key, api, path });
    const result = shape.read(value);
    if (result !== null) return result;
    throw new MalformedResponseError(`the body is not a valid ${shape.name}`, { status }, sent);
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

/** A list of objects with ids, or of those that pass `isItem`, in a body like `{ "tags": [] }`. */
export function listShape<T extends object>(
  key: string,
  isItem: (value: unknown) => boolean = hasId,
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
