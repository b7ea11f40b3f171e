import {
  startProviderServer,
  type Call,
  type ProviderResponse,
  type ProviderServer,
} from '../../packages/server/src/connectors/testing/provider-server.ts';
import type { Secrets } from './secret-places.ts';

export function indiscreetRequests({ ada, tokens, sent }: Secrets): Buffer[] {
  const all = [...tokens, ...sent].map(({ text }) => text);
  const authorization = `Authorization: Bearer ${ada.token}\r\n`;
  return all.flatMap((secret) => [
    ...targetsWith(secret).map((target) => request('GET', target, authorization)),
    ...targetsWith(secret).map((target) => request('GET', target, '')),
    ...headersWith(secret).map((fields) => request('GET', '/v2/transactions?limit=0', fields)),
    ...headersWith(secret).map((fields) => request('GET', '/unknown', fields)),
    ...bodiesWith(secret).map((body) => withBody(body, authorization)),
    ...brokenWith(secret).map((text) => Buffer.from(text)),
  ]);
}

function request(method: string, target: string, fields: string, body = ''): Buffer {
  return Buffer.from(
    `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${fields}\r\n${body}`,
  );
}

function targetsWith(secret: string): string[] {
  return [
    `/v2/transactions?access_token=${secret}`,
    `/v2/transactions?limit=${secret}`,
    `/v2/transactions?start_date=${secret}&${secret}=1`,
    `/v2/transactions?status=${secret}&status=${secret}`,
    `/v2/transactions/${secret}`,
    `/v2/categories/${secret}`,
    `/v2/crypto/synced/${secret}/refresh`,
    `/v2/${secret}`,
    `/v1/${secret}?${secret}`,
    `/${secret}?${secret}`,
    `/v2/%zz${secret}`,
    `/%zz${secret}`,
    `/v2/me#${secret}`,
    `/healthz?${secret}`,
    `/metrics?${secret}`,
  ];
}

function headersWith(secret: string): string[] {
  return [
    `Authorization: Bearer ${secret}\r\n`,
    `Authorization: Bearer ${secret}\r\nAuthorization: Bearer ${secret}\r\n`,
    `Authorization: Basic ${secret}\r\n`,
    `Authorization: ${secret}\r\n`,
    `Authorization: Bearer ${secret}x\r\n`,
    `Cookie: session=${secret}\r\nX-Api-Key: ${secret}\r\n`,
    `X-Forwarded-For: ${secret}\r\nVia: 1.1 ${secret}\r\n`,
    `If-None-Match: "${secret}"\r\n${secret}: ${secret}\r\n`,
  ];
}

function bodiesWith(secret: string): string[] {
  return [`{"token":"${secret}"}`, `{"${secret}":`, secret, `{"__proto__":"${secret}"}`];
}

function withBody(body: string, authorization: string): Buffer {
  const fields = `${authorization}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return request('GET', '/v2/me', fields, body);
}

/** Returns messages that the HTTP parser refuses. */
function brokenWith(secret: string): string[] {
  return [
    `${secret}\r\n\r\n`,
    `${secret} / HTTP/1.1\r\nHost: a\r\n\r\n`,
    `GET /v2/me HTTP/1.1\r\nHost: a\r\nbroken ${secret}\r\n\r\n`,
    `GET /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\0\r\n\r\n`,
    `GET /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}${'x'.repeat(17_000)}\r\n\r\n`,
  ];
}

const indiscretions: readonly ((sent: string) => ProviderResponse)[] = [
  (sent) => ({ status: 500, text: sent }),
  (sent) => ({ status: 401, text: sent }),
  (sent) => ({ status: 429, text: sent }),
  (sent) => ({ status: 200, text: sent }),
  (sent) => ({ status: 200, text: JSON.stringify({ error: [`EAPI:Invalid key ${sent}`] }) }),
  (sent) => ({ status: 200, text: JSON.stringify({ error: { code: -32000, message: sent } }) }),
  (sent) => ({ status: 200, text: JSON.stringify({ jsonrpc: '2.0', id: sent, result: sent }) }),
  (sent) => ({
    status: 200,
    text: JSON.stringify({ accounts: [{ currency: sent }], result: { [sent]: sent } }),
  }),
];

export const indiscretionCount = indiscretions.length;

export function startIndiscreetProvider(): Promise<ProviderServer> {
  let calls = 0;
  return startProviderServer(({ path, headers, body }: Call): ProviderResponse => {
    calls += 1;
    const sent = `${path} ${body} ${Object.values(headers).join(' ')}`;
    return indiscretions[calls % indiscretions.length]!(sent);
  });
}
