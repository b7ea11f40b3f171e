import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { runCoffer } from '../../packages/cli/src/testing/run-coffer.ts';
import {
  exampleAddress,
  exampleKrakenCredentials,
} from '../../packages/server/src/sync/testing/example-credentials.ts';
import { held, startProviders } from '../service/crypto-providers.ts';
import { startService } from '../service/started-service.ts';

const providers = await startProviders();
after(() => providers.close());
const service = await startService(providers.flags, providers.environment);
after(() => service.close());

/** Adds an account by the command, while the server is running, and returns its id. */
async function add(args: readonly string[], input: string): Promise<number> {
  const whose = ['--email', service.ada.email, '--database', service.database];
  const { code, stdout, stderr } = await runCoffer(['crypto', 'add', '--json', ...args, ...whose], {
    stdin: Readable.from([input]),
    environment: providers.environment,
    now: () => new Date(),
  });
  assert.equal(code, 0, stderr);
  return (JSON.parse(stdout) as { id: number }).id;
}

test('the running server can use a key that the command stored', async () => {
  const { apiKey, privateKey } = exampleKrakenCredentials();
  const ids = {
    kraken: await add(['--provider', 'kraken'], `${apiKey}\n${privateKey}\n`),
    ethereum: await add(['--provider', 'ethereum', '--address', exampleAddress], ''),
  };
  for (const provider of ['kraken', 'ethereum'] as const) {
    const path = `/v2/crypto/synced/${ids[provider]}/refresh`;
    const { status, text } = await service.ask(path, { method: 'POST' });
    assert.equal(status, 200, text);
    const { balances } = JSON.parse(text) as { balances: Record<string, unknown>[] };
    assert.deepEqual(
      balances.map(({ symbol, balance, to_base: worth }) => [symbol, balance, worth]),
      held[provider],
    );
  }
});
