import { startProviderServer } from '../packages/server/src/connectors/testing/provider-server.ts';
import type {
  Answer,
  Call,
  ProviderServer,
} from '../packages/server/src/connectors/testing/provider-server.ts';

/** Ways in which a provider says again what it was told. */
const indiscretions: readonly ((told: string) => Answer)[] = [
  (told) => ({ status: 500, text: told }),
  (told) => ({ status: 401, text: told }),
  (told) => ({ status: 429, text: told }),
  (told) => ({ status: 200, text: told }),
  (told) => ({ status: 200, text: JSON.stringify({ error: [`EAPI:Invalid key ${told}`] }) }),
  (told) => ({ status: 200, text: JSON.stringify({ error: { code: -32000, message: told } }) }),
  (told) => ({ status: 200, text: JSON.stringify({ jsonrpc: '2.0', id: told, result: told }) }),
  (told) => ({
    status: 200,
    text: JSON.stringify({ accounts: [{ currency: told }], result: { [told]: told } }),
  }),
];

/** In how many ways it does. */
export const indiscretionCount = indiscretions.length;

/** Starts something that answers as no provider should, each time in the next way. */
export function startIndiscreetProvider(): Promise<ProviderServer> {
  let calls = 0;
  return startProviderServer(({ path, headers, body }: Call): Answer => {
    calls += 1;
    const told = `${path} ${body} ${Object.values(headers).join(' ')}`;
    return indiscretions[calls % indiscretions.length]!(told);
  });
}
