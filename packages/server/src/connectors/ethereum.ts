import type { CryptoHolding } from '../records/crypto.ts';
import { CryptoRefreshError } from '../records/crypto.ts';
import { addressBelow, boundedFetch, nonsense } from './bounded-fetch.ts';
import type { Connector } from './connector.ts';
import { Holdings } from './holdings.ts';
import { isJsonObject, readJsonObject } from './json.ts';
import type { JsonObject } from './json.ts';

const who = 'The Ethereum node';
const requestId = 1;
/** A quantity of the protocol, which has no leading zeros. */
const hexQuantity = /^0x(?:0|[1-9a-f][0-9a-f]*)$/i;
const rateLimitedCode = -32005;
/** Internal error, server error, resource unavailable: the node is in trouble, not the question. */
const troubleCodes = [-32603, -32000, -32002];

/**
 * Reads the ether of an address from a node, which may be one's own.
 *
 * One call of JSON-RPC 2.0, `eth_getBalance` at the latest block. A wei is 10^-18 ether, so the balance is exact.
 * `rpcUrl` may hold a key and is never shown.
 *
 * Source: Ethereum execution APIs; EIP-1474 for the codes of errors.
 */
export function createEthereumConnector(rpcUrl: string): Connector<'ethereum'> {
  return {
    async readHoldings({ address }, signal) {
      const url = addressBelow(who, rpcUrl, '');
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: requestId,
        method: 'eth_getBalance',
        params: [address, 'latest'],
      });
      const headers = { 'content-type': 'application/json' };
      const text = await boundedFetch({ who, method: 'POST', url, headers, body, signal });
      return holdingsOf(readJsonObject(who, text));
    },
  };
}

function holdingsOf(answer: JsonObject): CryptoHolding[] {
  const { jsonrpc, id, result, error } = answer;
  if (jsonrpc !== '2.0') throw nonsense(who, 'not JSON-RPC 2.0');
  if (error !== undefined && error !== null) throw failureOf(error);
  if (id !== requestId) throw nonsense(who, 'the answer to another request');
  if (typeof result !== 'string' || !hexQuantity.test(result)) {
    throw nonsense(who, 'a balance that is not a hexadecimal quantity');
  }
  const holdings = new Holdings(who);
  holdings.add('eth', BigInt(result));
  return holdings.list();
}

function failureOf(error: unknown): CryptoRefreshError {
  const code = isJsonObject(error) ? error['code'] : undefined;
  if (typeof code !== 'number') return nonsense(who, 'an error without a code');
  if (code === rateLimitedCode) return new CryptoRefreshError('rateLimited', `${who} asks to wait`);
  if (troubleCodes.includes(code)) {
    return new CryptoRefreshError('unreachable', `${who} is out of order (${code})`);
  }
  return nonsense(who, `it cannot answer eth_getBalance (${code})`);
}
