import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { listenHere, type Listening } from '../../packages/core/src/testing/starts.ts';

/** Spellings of loopback addresses, as used in server-side request forgery. */
const hosts = [
  ...['127.0.0.1', 'localhost', '2130706433', '0x7f000001', '0177.0.0.1', '0x7f.1', '127.1'],
  ...['0.0.0.0', '0', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::]', '127.0.0.1.'],
  ...['127。0。0。1', '①②⑦.⓪.⓪.①'],
];
const forms: readonly ((authority: string) => string)[] = [
  (authority) => `http://${authority}/`,
  (authority) => `https://${authority}/`,
  (authority) => `http://example.com@${authority}/`,
  (authority) => `//${authority}/`,
  (authority) => `http:\\\\${authority}\\`,
];

export function localUrls(port: number): string[] {
  return hosts.flatMap((host) => forms.map((form) => form(`${host}:${port}`)));
}

export interface Canary extends Listening {
  connections(): number;
}

export async function startCanary(): Promise<Canary> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.destroy();
  });
  return { ...(await listenHere(server, '::')), connections: () => connections };
}

const redirects = [301, 302, 303, 307, 308];

export interface RedirectingProvider extends Listening {
  requests(): number;
  redirectTo(url: string): void;
}

/** Starts a provider that redirects every request, with each status in turn. */
export async function startRedirectingProvider(): Promise<RedirectingProvider> {
  let requests = 0;
  let location = '/';
  const server = createHttpServer((_request, response) => {
    requests += 1;
    // The header needs bytes; the URL may have other characters.
    const bytes = Buffer.from(location).toString('latin1');
    response.writeHead(redirects[requests % redirects.length]!, { location: bytes }).end();
  });
  return {
    ...(await listenHere(server)),
    requests: () => requests,
    redirectTo: (url) => void (location = url),
  };
}
