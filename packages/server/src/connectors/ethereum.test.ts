import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CryptoRefreshError } from '../records/crypto.ts';
import { connectorContract } from './connector-contract.ts';
import { createEthereumConnector } from './ethereum.ts';
import { startEthereumNode } from './testing/ethereum-node.ts';
import type { EthereumNode } from './testing/ethereum-node.ts';
import { exampleAddress } from './testing/example-credentials.ts';

const credentials = { provider: 'ethereum', address: exampleAddress } as const;
const wei = 1_234_567_890_123_456_789n;

function ether(quantity: string) {
  return { symbol: 'eth', name: 'ETH', quantity, coingeckoId: 'ethereum' };
}

connectorContract('the Ethereum connector', async () => {
  const server = await startEthereumNode({ balances: { [exampleAddress]: wei } });
  const key = 'project-id-of-the-operator';
  const connector = createEthereumConnector(`${server.url}/v3/${key}?token=${key}`);
  const rpc = (rest: object) => ({ jsonrpc: '2.0', id: 1, ...rest });
  return {
    server,
    secrets: [key],
    holdings: [ether('1.234567890123456789')],
    read: (signal) => connector.readHoldings(credentials, signal),
    strangeAnswers: {
      'another version': { jsonrpc: '1.0', id: 1, result: '0x1' },
      'no version': { id: 1, result: '0x1' },
      'the id of another request': rpc({ id: 2, result: '0x1' }),
      'the id as a text': rpc({ id: '1', result: '0x1' }),
      'no id': { jsonrpc: '2.0', result: '0x1' },
      'no result': rpc({}),
      'a result of null': rpc({ result: null }),
      'a number': rpc({ result: 1 }),
      'a huge number': rpc({ result: 1e30 }),
      'a decimal text': rpc({ result: '100' }),
      'no digits': rpc({ result: '0x' }),
      'a leading zero': rpc({ result: '0x01' }),
      'a negative quantity': rpc({ result: '-0x1' }),
      'digits that are not hexadecimal': rpc({ result: '0xg' }),
      'a space': rpc({ result: '0x1 ' }),
      'more than 256 bits': rpc({ result: `0x1${'0'.repeat(64)}` }),
      '10^18 ether': rpc({ result: `0x${(10n ** 36n).toString(16)}` }),
      'an object': rpc({ result: { value: '0x1' } }),
      'an error that is a text': rpc({ error: 'canary-in-the-answer' }),
      'an error without a code': rpc({ error: { message: 'canary-in-the-answer' } }),
      'a method that is not there': rpc({
        error: { code: -32601, message: 'canary-in-the-answer' },
      }),
      'wrong parameters': rpc({ error: { code: -32602, message: 'canary-in-the-answer' } }),
    },
  };
});

describe('the Ethereum connector', () => {
  let node: EthereumNode;
  before(async () => {
    node = await startEthereumNode({ balances: {} });
  });
  after(() => node.close());

  const read = () =>
    createEthereumConnector(node.url).readHoldings(credentials, AbortSignal.timeout(20_000));

  it('reads one wei, and the most that can be, without losing a digit', async () => {
    const cases = [
      [1n, '0.000000000000000001'],
      [10n ** 18n, '1.000000000000000000'],
      [2n ** 64n + 1n, '18.446744073709551617'],
      [10n ** 36n - 1n, `${'9'.repeat(18)}.${'9'.repeat(18)}`],
    ] as const;
    for (const [balance, quantity] of cases) {
      node.setBalance(exampleAddress, balance);
      assert.deepEqual(await read(), [ether(quantity)]);
    }
  });

  it('holds nothing where the balance is zero', async () => {
    node.setBalance(exampleAddress, 0n);
    assert.deepEqual(await read(), []);
  });

  it('asks in one call of JSON-RPC 2.0, at the path and with the query that the operator gave', async () => {
    const before = node.calls.length;
    const connector = createEthereumConnector(`${node.url}/v3/key?chain=1`);
    await connector.readHoldings(credentials, AbortSignal.timeout(20_000));
    const [call, ...more] = node.calls.slice(before);
    assert.equal(more.length, 0);
    assert.equal(call!.path, '/v3/key');
    assert.equal(call!.query.get('chain'), '1');
    assert.deepEqual(JSON.parse(call!.body), {
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBalance',
      params: [exampleAddress, 'latest'],
    });
  });

  it('tells errors of the node apart by their codes', async () => {
    const codes = { [-32005]: 'rateLimited', [-32603]: 'unreachable', [-32000]: 'unreachable' };
    for (const [code, reason] of Object.entries({ ...codes, [-32002]: 'unreachable' })) {
      const error = { code: Number(code), message: 'canary' };
      await node.fail({ json: { jsonrpc: '2.0', id: null, error } });
      await assert.rejects(read(), { name: 'CryptoRefreshError', reason });
    }
    await node.fail(null);
  });

  it('is unconfigured with an address that is not http or https, and does not quote it', async () => {
    for (const address of ['', 'canary', 'ftp://canary/', 'file:///canary']) {
      const connector = createEthereumConnector(address);
      await assert.rejects(
        connector.readHoldings(credentials, AbortSignal.timeout(20_000)),
        (error) => {
          assert.ok(error instanceof CryptoRefreshError);
          assert.equal(error.reason, 'unconfigured');
          assert.ok(!error.message.includes('canary'));
          return true;
        },
      );
    }
  });
});
