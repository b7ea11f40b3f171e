import { createServer } from 'node:http';
import { listenHere } from '../../packages/core/src/testing/starts.ts';
import {
  claimAccess,
  readSimplefin,
} from '../../packages/server/src/connectors/simplefin/simplefin.ts';
import type { RedirectingProvider } from './named-addresses.ts';

const range = { from: '2024-01-01', to: '2024-01-31' };
const timeoutMs = 5000;

/**
 * Lets a bridge to banks name URLs: in the access URL that it returns for a setup token, and in redirects of both of
 * its requests. Returns a line for each that was not refused.
 */
export async function refusalsMissing(
  provider: RedirectingProvider,
  urls: readonly string[],
): Promise<string[]> {
  const problems: string[] = [];
  let access = '';
  const bridge = await listenHere(createServer((_request, response) => response.end(access)));
  const claim = (url: string): Promise<unknown> =>
    claimAccess(Buffer.from(`${url}/claim`).toString('base64'), AbortSignal.timeout(timeoutMs));
  for (const url of urls) {
    access = withUser(url);
    provider.redirectTo(url);
    const signal = AbortSignal.timeout(timeoutMs);
    const read = { accessUrl: withUser(provider.url), range, nowMs: Date.now(), signal };
    if (await isDone(claim(bridge.url))) problems.push(`the access URL ${access} was accepted`);
    if (await isDone(claim(provider.url))) problems.push(`a claim with a redirect to ${url}`);
    if (await isDone(readSimplefin(read))) problems.push(`a reading with a redirect to ${url}`);
  }
  await bridge.close();
  return problems;
}

function withUser(url: string): string {
  return url.includes('@') ? url : url.replace(/^(https?:\/\/)/, '$1client:secret@');
}

async function isDone(request: Promise<unknown>): Promise<boolean> {
  return request.then(
    () => true,
    () => false,
  );
}
