/*
 * Keeps a copy of the transactions, categories, tags and manual accounts of a book in a file:
 *
 *   BASE_URL=http://127.0.0.1:8080 TOKEN=… node packages/client/examples/mirror.ts copy.json
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createClient, GoneError } from '../src/index.ts';
import type { Category, ChangePage, Client } from '../src/index.ts';

/** The records of one kind by their keys: `7`, or `7 2026-01-01` for a budget. */
export type Records = Readonly<Record<string, unknown>>;

/** A copy of the records of a book. `position` is the one of the changes that it has. */
export class Mirror {
  position: string;
  readonly #records: Map<string, Map<string, unknown>>;

  constructor(position: string, records: Readonly<Record<string, Records>> = {}) {
    this.position = position;
    const all = Object.entries(records);
    this.#records = new Map(all.map(([kind, own]) => [kind, new Map(Object.entries(own))]));
  }

  /** Every record by its kind, such as `tags`. */
  get records(): Readonly<Record<string, Records>> {
    const all = [...this.#records].map(([kind, own]) => [kind, Object.fromEntries(own)] as const);
    return Object.fromEntries(all);
  }

  put(kind: string, key: string, record: unknown): void {
    const own = this.#records.get(kind) ?? new Map<string, unknown>();
    this.#records.set(kind, own);
    if (record === null) own.delete(key);
    else own.set(key, record);
  }

  /** Applies a page of changes. To apply one again does no harm, because each has the record as it is now. */
  apply({ changes, position }: Pick<ChangePage, 'changes' | 'position'>): void {
    for (const { record, id, key = {}, value } of changes)
      this.put(record, [id, ...Object.values(key)].join(' '), value);
    this.position = position;
  }
}

/** The kinds of records that are copied. Changes of others are left out: their records are not listed first. */
const copied: ReadonlySet<string> = new Set([
  'transactions',
  'categories',
  'tags',
  'manual_accounts',
]);

/** Which transactions a list hides by default, and what it leaves out. */
const everything = {
  include_pending: true,
  include_split_parents: true,
  include_group_children: true,
  include_metadata: true,
};

/**
 * Copies the records of a book. The position comes first: whatever changes while the records are listed is in the feed
 * after it, and is applied again.
 */
export async function firstCopy(client: Client): Promise<Mirror> {
  const { position } = await client.coffer.changes({ after: 'latest' });
  const mirror = new Mirror(position);
  for await (const row of client.transactions.list(everything))
    mirror.put('transactions', String(row.id), row);
  for (const category of await client.categories.list({ format: 'flattened' }))
    mirror.put('categories', String(category.id), withoutChildren(category));
  for (const row of await client.tags.list()) mirror.put('tags', String(row.id), row);
  for (const row of await client.accounts.list())
    mirror.put('manual_accounts', String(row.id), row);
  return mirror;
}

/** The feed has the members of a group as changes of their own. */
function withoutChildren({ children: _, ...category }: Category): object {
  return category;
}

/**
 * Keeps a copy equal until the signal is aborted. Calls `keep` after each page, with the copy. Copies the records again
 * if there is no copy yet, and if the changes since no longer exist.
 */
export async function follow(
  client: Client,
  known: Mirror | null,
  keep: (mirror: Mirror) => void,
  signal?: AbortSignal,
): Promise<void> {
  let mirror = known;
  for (;;) {
    if (mirror === null) keep((mirror = await firstCopy(client)));
    try {
      for await (const page of client.changes({ after: mirror.position, limit: 1000, signal })) {
        const changes = page.changes.filter(({ record }) => copied.has(record));
        mirror.apply({ changes, position: page.position });
        keep(mirror);
      }
    } catch (error) {
      if (!(error instanceof GoneError)) throw error;
      mirror = null;
    }
  }
}

function readCopy(file: string): Mirror | null {
  if (!existsSync(file)) return null;
  const { position, records } = JSON.parse(readFileSync(file, 'utf8')) as Mirror;
  return new Mirror(position, records);
}

/** Position and records are replaced together, so that a copy is never between two pages. */
function writeCopy(file: string, { position, records }: Mirror): void {
  writeFileSync(`${file}.new`, JSON.stringify({ position, records }));
  renameSync(`${file}.new`, file);
}

if (import.meta.main) {
  const { BASE_URL: baseUrl = 'http://127.0.0.1:8080', TOKEN: token = '' } = process.env;
  const file = process.argv[2] ?? 'copy.json';
  const client = createClient({ baseUrl, token });
  await follow(client, readCopy(file), (mirror) => {
    writeCopy(file, mirror);
    const counts = Object.entries(mirror.records).map(
      ([kind, own]) => `${Object.keys(own).length} ${kind}`,
    );
    console.log(counts.join(', '));
  });
}
