import { createClient, type Fetch } from '../../packages/client/src/index.ts';

export interface WalkReport {
  readonly ids: readonly number[];
  readonly requests: number;
  /** The reset of each 429; a window has one reset. */
  readonly refusals: readonly string[];
  readonly elapsedMs: number;
}

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

// Run as a program, so that it shares nothing with other clients: `client-walker.ts URL TOKEN LIMIT` prints a report.
if (import.meta.main) {
  const [url = '', token = '', limit = ''] = process.argv.slice(2);
  const deadline = setTimeout(() => process.exit(3), 240_000);
  process.stdout.write(JSON.stringify(await walkByClient(url, token, Number(limit))));
  clearTimeout(deadline);
}
