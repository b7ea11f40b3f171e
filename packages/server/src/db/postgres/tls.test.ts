import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { onFreePort } from '../../../../core/src/testing/starts.ts';
import { rows } from '../engine.ts';
import { openPostgres } from './postgres.ts';
import { postgresPrograms, serverOwner, startPostgres } from '../testing/postgres-server.ts';
import type { PostgresServer } from '../testing/postgres-server.ts';

const folders = (process.env['PATH'] ?? '').split(delimiter);
const hasOpenssl = folders.some((folder) => existsSync(join(folder, 'openssl')));
const missing = [...(postgresPrograms() ? [] : ['postgres']), ...(hasOpenssl ? [] : ['openssl'])];
const skip = missing.length > 0 && `missing: ${missing.join(', ')}`;

describe('a PostgreSQL server over TLS', { skip }, () => {
  let server: PostgresServer;
  let address: string;
  const folder = mkdtempSync(join(tmpdir(), 'coffer-tls-'));
  const certificate = join(folder, 'cert.pem');
  before(async () => {
    const key = join(folder, 'key.pem');
    makeCertificate(certificate, key);
    server = await onFreePort((port) => {
      address = `postgres://coffer@localhost:${port}/postgres`;
      return startPostgres({
        ...{ listen_addresses: '127.0.0.1', port: String(port) },
        ...{ ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key },
      });
    });
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  /** Whether the connection is encrypted. */
  const ask = async (parameters: string): Promise<unknown> => {
    const engine = openPostgres({
      url: `${address}?${parameters}`,
      ...{ poolSize: 1, maxWaiting: 1, connectTimeoutMs: 5000, statementTimeoutMs: 4000 },
    });
    try {
      const [found] = await engine.read(() =>
        rows<{ ssl: string }>(
          sql`SELECT ssl::text AS ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
        ),
      );
      return found?.ssl;
    } finally {
      await engine.close();
    }
  };

  it('is accepted with its certificate and sslmode=verify-full', async () => {
    assert.equal(await ask(`sslmode=verify-full&sslrootcert=${certificate}`), 'true');
  });

  it('is refused with a self-signed certificate that is not trusted', async () => {
    await assert.rejects(ask('sslmode=verify-full'), {
      ...{ name: 'DatabaseError', kind: 'unavailable' },
      message: /^The database cannot be reached: self-signed certificate/,
    });
  });

  it('is refused if its name is not that of the certificate', async () => {
    address = address.replace('localhost', '127.0.0.1');
    try {
      await assert.rejects(ask(`sslmode=verify-full&sslrootcert=${certificate}`), {
        ...{ name: 'DatabaseError', kind: 'unavailable' },
        message: /^The database cannot be reached: Hostname\/IP does not match/,
      });
    } finally {
      address = address.replace('127.0.0.1', 'localhost');
    }
  });

  it('is accepted unverified with sslmode=no-verify, and without TLS by default', async () => {
    assert.equal(await ask('sslmode=no-verify'), 'true');
    assert.equal(await ask(''), 'false');
  });
});

/** Creates a self-signed certificate for `localhost`, readable by the server only. */
function makeCertificate(certificate: string, key: string): void {
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', ...kind, ...name, ...files], { stdio: 'ignore' });
  chmodSync(join(certificate, '..'), 0o755);
  chmodSync(key, 0o600);
  if (serverOwner.uid !== undefined) chownSync(key, serverOwner.uid, serverOwner.gid);
}
