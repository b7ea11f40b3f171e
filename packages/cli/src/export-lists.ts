import { ApiError } from '@coffer/client';
import type { Category, Client } from '@coffer/client';

/** A record of a list, in its wire form. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** What a service lists besides transactions. */
export interface ServedLists {
  readonly manualAccounts: readonly WireRecord[];
  readonly plaidAccounts: readonly WireRecord[];
  /** Groups too, with their members in `children`. */
  readonly categories: readonly Category[];
  readonly tags: readonly WireRecord[];
}

/** Reads the lists of a service, each in one request. One that the service does not have is empty. */
export async function readLists(client: Client): Promise<ServedLists> {
  return {
    manualAccounts: await readList(client, 'manual_accounts'),
    plaidAccounts: await readList(client, 'plaid_accounts'),
    categories: await client.categories.list(),
    tags: await readList(client, 'tags'),
  };
}

/** Finds the names that the ids of a transaction stand for; null where the service does not say. */
export interface Names {
  /** A category by its id. */
  category(id: number | null): string | null;
  /** A manual or a synced account; one of the ids is null. */
  account(manualId: number | null, plaidId: number | null): string | null;
  /** A tag by its id. */
  tag(id: number): string | null;
}

/** The names in the lists of a service: of an account its display name, when it has one. */
export function namesOf({ manualAccounts, plaidAccounts, categories, tags }: ServedLists): Names {
  const flat = categories.flatMap((category) => [category, ...(category.children ?? [])]);
  const ofCategories = new Map(flat.map(({ id, name }) => [id, name]));
  const [ofManual, ofPlaid, ofTags] = [manualAccounts, plaidAccounts, tags].map(namesById);
  return {
    category: (id) => ofCategories.get(id ?? 0) ?? null,
    account: (manualId, plaidId) => ofManual?.get(manualId) ?? ofPlaid?.get(plaidId) ?? null,
    tag: (id) => ofTags?.get(id) ?? null,
  };
}

async function readList(client: Client, key: string): Promise<WireRecord[]> {
  try {
    const body = await client.request({ path: `/${key}` });
    const records = isRecord(body) ? body[key] : undefined;
    return Array.isArray(records) ? records.filter(isRecord) : [];
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function namesById(records: readonly WireRecord[]): Map<unknown, string> {
  return new Map(records.map((record) => [record['id'], nameOf(record)]));
}

function nameOf({ name, display_name: shown }: WireRecord): string {
  if (typeof shown === 'string' && shown !== '') return shown;
  return typeof name === 'string' ? name : '';
}
