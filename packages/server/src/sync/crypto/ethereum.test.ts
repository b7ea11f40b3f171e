import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { connectorContract } from '../connector-contract.ts';
import { readEthereumHoldings } from './ethereum.ts';
import { startEthereumNode } from '../testing/ethereum-node.ts';
import { exampleAddress } from '../testing/example-credentials.ts';

const wei = 1_234_567_890_123_456_789n;

function ether(quantity: string) {
  return { symbol: 'eth', name: 'ETH', quantity, coingecko_id: 'ethereum' };
}

const node = await startEthereumNode({ balances: { [exampleAddress]: wei } });
after(() => node.close());

const key = 'project-id-of-the-operator';
const rpc = (rest: object) => ({ jsonrpc: '2.0', id: 1, ...rest });

connectorContract('the Ethereum connector', {
  server: node,
  secrets: [key],
  holdings: [ether('1.234567890123456789')],
  read: (signal) => {
    const rpcUrl = `${node.url}/v3/${key}?token=${key}`;
    return readEthereumHoldings({ rpcUrl, address: exampleAddress, signal });
  },
  invalidResponses: [
    { jsonrpc: '1.0', id: 1, result: '0x1' },
    { id: 1, result: '0x1' },
    rpc({ id: 2, result: '0x1' }),
    rpc({ id: '1', result: '0x1' }),
    { jsonrpc: '2.0', result: '0x1' },
    rpc({}),
    ...[null, 1, 1e30, ...'100 0x 0x01 -0x1 0xg'.split(' '), '0x1 ', { value: '0x1' }].map(
      (result) => rpc({ result }),
    ),
    rpc({ result: `0x1${'0'.repeat(64)}` }),
    rpc({ result: `0x${(10n ** 36n).toString(16)}` }),
    rpc({ error: 'canary-in-response' }),
    rpc({ error: { message: 'canary-in-response' } }),
    rpc({ error: { code: -32602, message: 'canary-in-response' } }),
  ],
});

describe('the Ethereum connector', () => {
  const read = (rpcUrl = node.url) =>
    readEthereumHoldings({ rpcUrl, address: exampleAddress, signal: AbortSignal.timeout(20_000) });

  it('reads one wei and the largest quantity exactly, and no holding of nothing', async () => {
    for (const [balance, quantity] of [
      [1n, '0.000000000000000001'],
      [10n ** 18n, '1.000000000000000000'],
      [2n ** 64n + 1n, '18.446744073709551617'],
      [10n ** 36n - 1n, `${'9'.repeat(18)}.${'9'.repeat(18)}`],
    ] as const) {
      node.setBalance(exampleAddress, balance);
      assert.deepEqual(await read(), [ether(quantity)]);
    }
    node.setBalance(exampleAddress, 0n);
    assert.deepEqual(await read(), []);
  });

  it('sends one JSON-RPC 2.0 call to the path and query of the URL', async () => {
    const before = node.calls.length;
    await read(`${node.url}/v3/key?chain=1`);
    const [call, ...more] = node.calls.slice(before);
    assert.deepEqual([call!.path, call!.query.get('chain'), more], ['/v3/key', '1', []]);
    const params = [exampleAddress, 'latest'];
    assert.deepEqual(JSON.parse(call!.body), rpc({ method: 'eth_getBalance', params }));
  });

  it('maps the errors of the node to reasons by their codes', async () => {
    const reasons = {
      rateLimited: [-32005],
      unreachable: [-32603, -32000, -32002],
      unsupported: [-32601, -32004],
      nonsense: [-32602],
    };
    for (const [reason, codes] of Object.entries(reasons))
      for (const code of codes) {
        const error = { code, message: 'canary' };
        await node.fail({ json: { jsonrpc: '2.0', id: null, error } });
        await assert.rejects(read(), { reason, message: /^(?!.*canary)/ }, String(code));
      }
    await node.fail(null);
  });
});
