import { jsonResponse, startProviderServer } from './provider-server.ts';
import type { Call, ProviderResponse, ProviderServer } from './provider-server.ts';

export interface EthereumNode extends ProviderServer {
  setBalance(address: string, wei: bigint): void;
}

/** Starts an Ethereum node with balances in wei; the balance of any other address is 0. */
export async function startEthereumNode(options: {
  readonly balances: Readonly<Record<string, bigint>>;
}): Promise<EthereumNode> {
  const balances = new Map<string, bigint>();
  const setBalance = (address: string, wei: bigint) => {
    balances.set(address.toLowerCase(), wei);
  };
  for (const [address, wei] of Object.entries(options.balances)) setBalance(address, wei);
  const server = await startProviderServer((call) => responseTo(call, balances));
  return Object.assign(server, { setBalance });
}

function responseTo(
  { method, headers, body }: Call,
  balances: ReadonlyMap<string, bigint>,
): ProviderResponse {
  if (method !== 'POST') return { status: 405, text: 'method not allowed' };
  if (headers['content-type'] !== 'application/json') {
    return { status: 415, text: 'invalid content type' };
  }
  const request = JSON.parse(body) as Record<string, unknown>;
  const { jsonrpc, id, params } = request;
  const fail = (code: number, message: string) =>
    jsonResponse({ jsonrpc: '2.0', id: id ?? null, error: { code, message } });
  if (jsonrpc !== '2.0' || id === undefined) return fail(-32600, 'invalid request');
  if (request['method'] !== 'eth_getBalance') return fail(-32601, 'method not found');
  const [address, block, ...rest] = Array.isArray(params) ? (params as unknown[]) : [];
  if (typeof address !== 'string' || !/^0x[0-9a-f]{40}$/i.test(address)) {
    return fail(-32602, 'invalid argument 0');
  }
  if (block !== 'latest' || rest.length > 0) return fail(-32602, 'invalid argument 1');
  const wei = balances.get(address.toLowerCase()) ?? 0n;
  return jsonResponse({ jsonrpc: '2.0', id, result: `0x${wei.toString(16)}` });
}
