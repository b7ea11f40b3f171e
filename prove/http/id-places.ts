import { operations, resolved, type Operation, type Schema } from './api-document.ts';
import { matrix, type PlaceKind } from './id-matrix.ts';

/** A place in a request that holds the id of a record. */
export interface IdPlace {
  readonly method: string;
  /** As in the API document; of a path with a word of a list, such as the type of an account, one for each word. */
  readonly path: string;
  /** `path id`, `query category_id`, `body group_id`, `body children[].id`. */
  readonly place: string;
  /** The kind of the record. */
  readonly kind: PlaceKind;
  /** The kind of each id in the path, by the name of the parameter. */
  readonly inPath: Readonly<Record<string, PlaceKind>>;
  /** Whether the operation has the parameter `force`. */
  readonly hasForce: boolean;
}

/** The id places of the API documents, compared with the matrix. */
interface IdPlaces {
  readonly places: readonly IdPlace[];
  /** Paths of lists. */
  readonly lists: readonly string[];
  /** Operations and places that the documents have and the matrix lacks, and the other way round. */
  readonly problems: readonly string[];
}

/** Finds every place of an id in the API documents. */
export function findIdPlaces(): IdPlaces {
  const places: IdPlace[] = [];
  const lists: string[] = [];
  const problems: string[] = [];
  const all = operations.flatMap(withWords);
  for (const operation of all) {
    const { method, path, parameters } = operation;
    const name = `${method} ${path}`;
    const known = matrix[name];
    const found = placesOf(operation);
    if (known === undefined) problems.push(`${name} is not in the matrix`);
    const isList = !path.includes('{') && !found.includes('query transaction_id');
    if (method === 'GET' && isList) lists.push(path);
    const hasForce = parameters.some((each) => each.name === 'force');
    const inPath = pathKinds(known ?? {});
    for (const place of found) {
      const kind = known?.[place];
      if (kind !== undefined) places.push({ method, path, place, kind, inPath, hasForce });
      else if (known !== undefined) problems.push(`${name} ${place} is not in the matrix`);
    }
    const surplus = Object.keys(known ?? {}).filter((place) => !found.includes(place));
    problems.push(...surplus.map((place) => `${name} ${place} is not in the documents`));
  }
  const names = new Set(all.map(({ method, path }) => `${method} ${path}`));
  const unknown = Object.keys(matrix).filter((name) => !names.has(name));
  problems.push(...unknown.map((name) => `${name} is not in the documents`));
  return { places, lists, problems };
}

/** Returns the operation once for every word that a path parameter allows. */
function withWords(operation: Operation): Operation[] {
  const parameter = operation.parameters.find(
    ({ in: place, schema }) => place === 'path' && resolved(schema).enum !== undefined,
  );
  if (parameter === undefined) return [operation];
  const words = resolved(parameter.schema).enum!.map(String);
  return words.map((word) => ({
    ...operation,
    path: operation.path.replace(`{${parameter.name}}`, word),
  }));
}

function pathKinds(known: Readonly<Record<string, PlaceKind>>): Record<string, PlaceKind> {
  const inPath = Object.entries(known).filter(([place]) => place.startsWith('path '));
  return Object.fromEntries(inPath.map(([place, kind]) => [place.slice('path '.length), kind]));
}

function placesOf({ parameters, body }: Operation): string[] {
  const inTarget = parameters
    .filter(({ name }) => isIdName(name) || name.endsWith('_ids'))
    .map((parameter) => `${parameter.in} ${parameter.name}`);
  return [...new Set([...inTarget, ...(body === undefined ? [] : idsIn(body, 'body '))])];
}

/** Returns the places of ids in a body: properties named like one, and integers in lists of ids or records. */
function idsIn(schema: Schema, at: string): string[] {
  const { properties = {}, items, anyOf = [], type } = resolved(schema);
  const isListed =
    /(children|transactions|tags|\bids|_ids)\[\]$/.test(at) && [type].flat().includes('integer')
      ? [at]
      : [];
  const inProperties = Object.entries(properties).flatMap(([name, each]) => {
    const place = at.endsWith(' ') ? at + name : `${at}.${name}`;
    return [...(isIdName(name) ? [place] : []), ...idsIn(each, place)];
  });
  const inItems = items === undefined ? [] : idsIn(items, `${at}[]`);
  return [...isListed, ...inProperties, ...inItems, ...anyOf.flatMap((each) => idsIn(each, at))];
}

/** Ids of other systems, and of challenges, are texts, and name no record. */
const foreignNames = new Set(['external_id', 'coingecko_id', 'challenge_id']);

function isIdName(name: string): boolean {
  return /(^|_)id$/.test(name) && !foreignNames.has(name);
}
