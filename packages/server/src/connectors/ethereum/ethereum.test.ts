import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { CryptoRefreshError } from '../../resources/crypto/rules.ts';
import { connectorContract } from '../connector-contract.ts';
import { readEthereumHoldings } from './ethereum.ts';
import { startEthereumNode } from '../testing/ethereum-node.ts';
import { exampleAddress } from '../testing/example-credentials.ts';

const wei = 1_234_567_890_123_456_789n;

function ether(quantity: string) {
  return { symbol: 'eth', name: 'ETH', quantity, coingeckoId: 'ethereum' };
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
  invalidResponses: {
    'another version': { jsonrpc: '1.0', id: 1, result: '0x1' },
    'no version': { id: 1, result: '0x1' },
    'the id of another request': rpc({ id: 2, result: '0x1' }),
    'the id as a string': rpc({ id: '1', result: '0x1' }),
    'no id': { jsonrpc: '2.0', result: '0x1' },
    'no result': rpc({}),
    'a result of null': rpc({ result: null }),
    'a number': rpc({ result: 1 }),
    'a huge number': rpc({ result: 1e30 }),
    'a decimal number in a string': rpc({ result: '100' }),
    'no digits': rpc({ result: '0x' }),
    'a leading zero': rpc({ result: '0x01' }),
    'a negative quantity': rpc({ result: '-0x1' }),
    'digits that are not hexadecimal': rpc({ result: '0xg' }),
    'a space': rpc({ result: '0x1 ' }),
    'more than 256 bits': rpc({ result: `0x1${'0'.repeat(64)}` }),
    '10^18 ether': rpc({ result: `0x${(10n ** 36n).toString(16)}` }),
    'an object': rpc({ result: { value: '0x1' } }),
    'an error that is a string': rpc({ error: 'canary-in-response' }),
    'an error without a code': rpc({ error: { message: 'canary-in-response' } }),
    'wrong parameters': rpc({ error: { code: -32602, message: 'canary-in-response' } }),
  },
});

describe('the Ethereum connector', () => {
  const read = (rpcUrl = node.url) =>
    readEthereumHoldings({
      rpcUrl,
      address: exampleAddress,
      signal: AbortSignal.timeout(20_000),
    });

  it('reads one wei and the largest quantity exactly', async () => {
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

  it('returns no holding when the balance is zero', async () => {
    node.setBalance(exampleAddress, 0n);
    assert.deepEqual(await read(), []);
  });

  it('sends one JSON-RPC 2.0 call to the path and query of the URL', async () => {
    const before = node.calls.length;
    await read(`${node.url}/v3/key?chain=1`);
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

  it('maps the errors of the node to reasons by their codes', async () => {
    const reasons = {
      [-32005]: 'rateLimited',
      [-32603]: 'unreachable',
      [-32000]: 'unreachable',
      [-32002]: 'unreachable',
      [-32601]: 'unsupported',
      [-32004]: 'unsupported',
      [-32602]: 'nonsense',
    };
    for (const [code, reason] of Object.entries(reasons)) {
      const error = { code: Number(code), message: 'canary' };
      await node.fail({ json: { jsonrpc: '2.0', id: null, error } });
      await assert.rejects(read(), (thrown) => {
        assert.ok(thrown instanceof CryptoRefreshError);
        assert.equal(thrown.reason, reason);
        assert.ok(!thrown.message.includes('canary'));
        return true;
      });
    }
    await node.fail(null);
  });

  it('is unconfigured with a URL that is not http or https, and does not quote it', async () => {
    for (const address of ['', 'canary', 'ftp://canary/', 'file:///canary']) {
      await assert.rejects(read(address), (error) => {
        assert.ok(error instanceof CryptoRefreshError);
        assert.equal(error.reason, 'unconfigured');
        assert.ok(!error.message.includes('canary'));
        return true;
      });
    }
  });
});
