import { fetchJson, nonsense, urlBelow, isJsonObject } from '../../outside/bounded-fetch.ts';
import type { WayOut, JsonObject } from '../../outside/bounded-fetch.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import type { CryptoHolding } from '../prices/worth.ts';
import { Holdings } from './assets.ts';

const who = 'The Ethereum node';
const requestId = 1;
/** A quantity of the protocol, without leading zeros. */
const hexQuantity = /^0x(?:0|[1-9a-f][0-9a-f]*)$/i;
const rateLimitedCode = -32005;
/** Internal error, server error, resource unavailable: the node has a problem, not the request. */
const unreachableCodes = [-32603, -32000, -32002];
/** Method not found, method not supported. */
const unsupportedCodes = [-32601, -32004];

/** An address, and the node that returns its balance. */
export interface EthereumRequest extends WayOut {
  /** May contain a key, and is never shown. */
  readonly rpcUrl: string;
  readonly address: string;
}

/**
 * Reads the ether of an address from a node: one holding, or none when the balance is zero.
 *
 * Sends one JSON-RPC 2.0 call, `eth_getBalance` at the latest block. A wei is 10^-18 ether, so the balance is exact.
 * Rejects with CryptoRefreshError, which contains no secret.
 *
 * Source: Ethereum execution APIs; EIP-1474 for the codes of errors.
 */
export async function readEthereumHoldings(request: EthereumRequest): Promise<CryptoHolding[]> {
  const { rpcUrl, address, ...way } = request;
  const url = urlBelow(who, rpcUrl, '');
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: requestId,
    method: 'eth_getBalance',
    params: [address, 'latest'],
  });
  const headers = { 'content-type': 'application/json' };
  return holdingsOf(await fetchJson({ ...way, who, method: 'POST', url, headers, body }));
}

function holdingsOf({ jsonrpc, id, result, error }: JsonObject): CryptoHolding[] {
  if (jsonrpc !== '2.0') throw nonsense(who, 'it is not JSON-RPC 2.0');
  if (error !== undefined && error !== null) throw failureOf(error);
  if (id !== requestId) throw nonsense(who, 'it belongs to another request');
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
  if (code === rateLimitedCode) {
    return new CryptoRefreshError('rateLimited', `${who} limits requests`);
  }
  if (unreachableCodes.includes(code)) {
    return new CryptoRefreshError('unreachable', `${who} reported a server error (${code})`);
  }
  if (unsupportedCodes.includes(code)) {
    return new CryptoRefreshError('unsupported', `${who} does not provide balances (${code})`);
  }
  return nonsense(who, `error ${code} of eth_getBalance`);
}
