import { Type } from 'typebox';
import { examplesOf } from '../examples.ts';
import { asJson } from '../schema.ts';
import type { Described } from '../declaration.ts';
import { operations } from '../../all.ts';
import { noServices } from '../../services.ts';
import { pathsOf, placesOf } from './id-places.ts';
import { special, type GoodRequest, type Records } from './special-requests.ts';

/** Every operation of the service: v2, Coffer's own, and v1. */
export const catalogue: readonly Described[] = operations(noServices);

/** The operation after which its user is gone. */
export const usesUpUser = 'deleteBook';

function operationOf(id: string): Described {
  const found = catalogue.find(({ declaration }) => declaration.id === id);
  if (found === undefined) throw new Error(`There is no operation ${id}`);
  return found;
}

export interface Choice {
  readonly example?: string;
  /** The path, for one of several types of accounts. */
  readonly path?: string;
  readonly at?: { readonly place: string; readonly id: number };
  /** Nothing else that the request needs is made. */
  readonly isBare?: boolean;
}

export const month = { start_date: '2026-03-01', end_date: '2026-03-31' };

/** Places whose records a request only links to. */
const links = new RegExp(
  String.raw`(^body|\.|query) ?(category_id|(additional_|add_|remove_)?tag_ids|manual_account_id|asset_id|` +
    String.raw`plaid_account_id|recurring_id|rule_id|into_(plaid_)?id)(\[\])?$`,
);

/** Texts that must be unique. */
const unique = /^(name|description|payee|external_id|coingecko_url|children|new_categories)$/;

/**
 * Returns a request that the operation accepts: from the examples of its declaration, with records of the book in the
 * place of every id.
 */
export async function goodRequest(
  id: string,
  records: Records,
  { example, at, isBare = false, ...choice }: Choice = {},
): Promise<GoodRequest> {
  const operation = operationOf(id);
  const { path = pathsOf(operation)[0]! } = choice;
  const { declaration } = operation;
  const places = placesOf(operation, path);
  const isOfGroup = at?.place.includes('children') === true;
  const ids = async (place: string): Promise<number> => {
    if (place === at?.place && !place.startsWith('body ')) return at.id;
    const { kind } = places.find((each) => each.place === place)!;
    if (kind === 'ignored') return 1;
    if (place === 'path id' && isOfGroup) return records.own('categoryGroup');
    return links.test(place) ? records.link(kind) : records.own(kind);
  };
  const params: Record<string, number | string> = {};
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    if (name === 'symbol') params[name] = 'eth';
    else params[name] = await (name === 'version' ? records.version() : ids(`path ${name}`));
  }
  const query: Record<string, string> = {};
  const { properties = {}, required = [] } = asJson(declaration.query ?? Type.Object({}));
  for (const [name, schema] of Object.entries(properties)) {
    const place = `query ${name}`;
    const isNeeded = required.includes(name) && !('default' in schema);
    if (name in month && isNeeded) query[name] = month[name as keyof typeof month];
    else if (isNeeded || place === at?.place) query[name] = String(await ids(place));
  }
  const body = structuredClone(exampleOf(operation, example, at?.place));
  const inBody = places.filter(({ place }) => place.startsWith('body '));
  for (const { place } of inBody) await replaceIds(body, keysOf(place), () => ids(place));
  freshen(body, (text) => records.fresh(text));
  const request = { operation, path, params, query, ...(body !== undefined && { body }) };
  const changed = await (special[id]?.(request, records) ?? request);
  if (at?.place.startsWith('body ') === true) setAt(changed.body, keysOf(at.place), at.id);
  return isBare ? changed : records.prepared(changed);
}

export function targetOf({ path, params, query }: GoodRequest): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
  const search = String(new URLSearchParams(query));
  return search === '' ? filled : `${filled}?${search}`;
}

function keysOf(place: string): string[] {
  return place.slice('body '.length).split('.');
}

/** Returns the example with a name; otherwise the one that has most of a place, or the first. */
function exampleOf({ declaration }: Described, name?: string, place = 'body '): unknown {
  const { body, bodyExamples } = declaration;
  const examples = body === undefined ? [] : Object.entries(examplesOf(body, bodyExamples));
  if (name !== undefined) return examples.find(([each]) => each === name)![1].value;
  const keys = keysOf(place);
  const depth = (value: unknown): number => {
    let reached = value;
    const at = keys.findIndex((key) => (reached = step(reached, key)) === undefined);
    return at === -1 ? keys.length : at;
  };
  const depths = examples.map(([, { value }]) => depth(value));
  return examples[depths.indexOf(Math.max(...depths))]?.[1].value;
}

/** Returns what a key, or the first element of the list that it names, leads to. */
function step(value: unknown, key: string): unknown {
  const inner = (value as Record<string, unknown> | null | undefined)?.[key.replace('[]', '')];
  return key.endsWith('[]') ? (inner as unknown[] | undefined)?.[0] : inner;
}

async function replaceIds(
  value: unknown,
  [key = '', ...rest]: readonly string[],
  id: () => Promise<number>,
): Promise<void> {
  const name = key.replace('[]', '');
  const inner = (value as Record<string, unknown> | null | undefined)?.[name];
  if (inner === undefined || inner === null) return;
  const [holder, at] = Array.isArray(inner)
    ? [inner as unknown[], [...inner.keys()]]
    : [value as Record<string, unknown>, [name]];
  for (const each of at) {
    const part = (holder as Record<number | string, unknown>)[each];
    if (rest.length > 0) await replaceIds(part, rest, id);
    else if (typeof part === 'number')
      (holder as Record<number | string, unknown>)[each] = await id();
  }
}

function freshen(value: unknown, fresh: (text: string) => string): void {
  if (typeof value !== 'object' || value === null) return;
  const parts = value as Record<string, unknown>;
  for (const [key, part] of Object.entries(parts)) {
    if (typeof part === 'string' && unique.test(key))
      parts[key] = key.endsWith('_url') ? fresh(part).replace(' ', '-') : fresh(part);
    else if (Array.isArray(part) && unique.test(key))
      parts[key] = part.map((each: unknown) => (typeof each === 'string' ? fresh(each) : each));
    else freshen(part, fresh);
  }
}

/** Sets the id in a place of a body; missing objects and lists are created. */
function setAt(value: unknown, [key = '', ...rest]: readonly string[], id: number): void {
  const body = value as Record<string, unknown>;
  const name = key.replace('[]', '');
  const isList = name !== key;
  const list = (isList ? (body[name] ??= []) : []) as unknown[];
  // A synced account excludes what belongs to a manual one.
  if (name === 'plaid_account_id') {
    delete body['manual_account_id'];
    delete body['external_id'];
  }
  if (rest.length === 0) {
    if (!isList) body[name] = id;
    else if (!list.includes(id)) list.splice(0, 1, id);
    return;
  }
  const inner = isList ? list[0] : body[name];
  const next = typeof inner === 'object' && inner !== null ? inner : {};
  if (isList) list[0] = next;
  else body[name] = next;
  setAt(next, rest, id);
}
