import { hashKey, noop, QueryClient } from '@tanstack/react-query';
import { namesOfForm } from './hooks.ts';
import { namesKey } from './last-session.ts';

type Name = keyof typeof namesOfForm;
const names = Object.keys(namesOfForm) as Name[];

/** What the form for a new transaction chooses from, as it was read last. */
interface KeptNames {
  /** Whose they are, see `ownerOf`. */
  readonly owner: string;
  /** The responses, with the properties that are kept. */
  readonly read: Partial<Record<Name, unknown>>;
}

/** The properties that are kept: names and what the form does with them; no balances, numbers or notes. */
const keptProperties = [
  ...['owner', 'read', 'accounts', 'manual', 'plaid', 'categories', 'tags', 'payees'],
  ...['id', 'name', 'display_name', 'currency', 'status', 'allow_transaction_modifications'],
  ...['is_group', 'group_id', 'archived', 'payee', 'category_id'],
];

/**
 * Keeps in the browser what the form for a new transaction chooses from, for a page that opens without a server: reads
 * it once, and follows what is read later. Returns what ends that.
 */
export function keepNames(cache: QueryClient, owner: string): () => void {
  for (const name of names) cache.query({ ...readOf(name), gcTime: Infinity }).catch(noop);
  const hashes = new Set(names.map((name) => hashKey(readOf(name).queryKey)));
  const keep = (): void => {
    const read = { ...keptFor(owner) };
    for (const name of names) read[name] = cache.getQueryData(readOf(name).queryKey) ?? read[name];
    write({ owner, read });
  };
  keep();
  return cache.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success') return;
    if (hashes.has(event.query.queryHash)) keep();
  });
}

/** Returns a cache with what is kept for an owner. Reads of it go on as those of another cache do. */
export function cacheOfKept(owner: string, other: QueryClient): QueryClient {
  const cache = new QueryClient({ defaultOptions: other.getDefaultOptions() });
  for (const [name, data] of Object.entries(keptFor(owner)))
    cache.setQueryData(readOf(name as Name).queryKey, data);
  return cache;
}

interface AnyRead {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<unknown>;
}

function readOf(name: Name): AnyRead {
  return namesOfForm[name];
}

function keptFor(owner: string): KeptNames['read'] {
  try {
    const kept = JSON.parse(localStorage.getItem(namesKey) ?? 'null') as KeptNames | null;
    return kept?.owner === owner ? kept.read : {};
  } catch {
    return {};
  }
}

function write(kept: KeptNames): void {
  try {
    localStorage.setItem(namesKey, JSON.stringify(kept, keptProperties));
  } catch {
    // Without storage the form has no names when the page opens without a server.
  }
}
