import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { makeCertificate } from '../../../packages/server/src/limiter/testing/certificates.ts';

const preload = fileURLToPath(new URL('redirect.cjs', import.meta.url));

/** A server with TLS in place of the vendor's hosts, which forwards all bytes to a service. */
export interface Front {
  /** The environment in which another Node process reaches it by the names of those hosts. */
  readonly environment: Readonly<Record<string, string>>;
  close(): void;
}

/** Starts a front of the service at a port. The clients of this process use it too, until it is closed. */
export async function startFront(service: number): Promise<Front> {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-front-'));
  const names = 'DNS:dev.lunchmoney.app,DNS:api.lunchmoney.dev';
  const { keyFile, certificateFile, authorityFile, authority } = makeCertificate(folder, names);
  const files = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
  const server = createServer(files, (client) => {
    const forwarded = connect(service, '127.0.0.1');
    const end = () => void [client, forwarded].map((each) => each.destroy());
    client.on('error', end).on('close', end).pipe(forwarded);
    forwarded.on('error', end).on('close', end).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = String((server.address() as AddressInfo).port);
  process.env['V1_FRONT_PORT'] = port;
  createRequire(import.meta.url)(preload);
  const authorities = getCACertificates('default');
  setDefaultCACertificates([...authorities, authority]);
  return {
    environment: {
      NODE_OPTIONS: `--require ${preload}`,
      NODE_EXTRA_CA_CERTS: authorityFile,
      V1_FRONT_PORT: port,
    },
    close: () => {
      server.close();
      setDefaultCACertificates(authorities);
      delete process.env['V1_FRONT_PORT'];
      rmSync(folder, { recursive: true });
    },
  };
}
