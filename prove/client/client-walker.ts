import { createClient, type Fetch } from '../../packages/client/src/index.ts';

/** What a walk saw. */
export interface WalkReport {
  /** Ids of transactions, in the order in which they came. */
  readonly ids: readonly number[];
  readonly requests: number;
  /** The reset that each 429 named: one window, one reset. */
  readonly refusals: readonly string[];
  readonly elapsedMs: number;
}

/** Walks the whole list of a book by the client, as it comes out of the box. */
export async function walkByClient(url: string, token: string, limit: number): Promise<WalkReport> {
  const startedAtMs = performance.now();
  const refusals: string[] = [];
  let requests = 0;
  const counting: Fetch = async (address, init) => {
    const response = await fetch(address, init);
    requests += 1;
    if (response.status === 429) refusals.push(response.headers.get('ratelimit-reset') ?? 'none');
    return response;
  };
  const client = createClient({ baseUrl: url, token, fetch: counting });
  const ids: number[] = [];
  for await (const { id } of client.transactions.list({ limit })) ids.push(id);
  return { ids, requests, refusals, elapsedMs: Math.round(performance.now() - startedAtMs) };
}

// As a program it knows nothing of any other: `client-walker.ts URL TOKEN LIMIT` prints its report.
if (import.meta.main) {
  const [url = '', token = '', limit = ''] = process.argv.slice(2);
  const deadline = setTimeout(() => process.exit(3), 240_000);
  process.stdout.write(JSON.stringify(await walkByClient(url, token, Number(limit))));
  clearTimeout(deadline);
}
