import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { onFreePort } from '../../../../core/src/testing/starts.ts';
import { rows } from '../engine.ts';
import { makeCertificate, noOpenssl } from '../../limiter/testing/certificates.ts';
import { openPostgres } from './postgres.ts';
import { postgresPrograms, serverOwner, startPostgres } from '../testing/postgres-server.ts';
import type { PostgresServer } from '../testing/postgres-server.ts';

const skip = (postgresPrograms() === null && 'missing: postgres') || noOpenssl;

describe('a PostgreSQL server over TLS', { skip }, () => {
  let server: PostgresServer;
  let address: string;
  const folder = mkdtempSync(join(tmpdir(), 'coffer-tls-'));
  let authority: string;
  before(async () => {
    const { authorityFile, certificateFile, keyFile } = makeCertificate(folder, 'DNS:localhost');
    authority = authorityFile;
    // Only the server may read its key.
    chmodSync(folder, 0o755);
    chmodSync(keyFile, 0o600);
    if (serverOwner.uid !== undefined) chownSync(keyFile, serverOwner.uid, serverOwner.gid);
    server = await onFreePort((port) => {
      address = `postgres://coffer@localhost:${port}/postgres`;
      return startPostgres({
        ...{ listen_addresses: '127.0.0.1', port: String(port) },
        ...{ ssl: 'on', ssl_cert_file: certificateFile, ssl_key_file: keyFile },
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
    assert.equal(await ask(`sslmode=verify-full&sslrootcert=${authority}`), 'true');
  });

  it('is refused with a certificate whose authority is not trusted', async () => {
    await assert.rejects(ask('sslmode=verify-full'), {
      ...{ name: 'DatabaseError', kind: 'unavailable' },
      message: /^The database cannot be reached: unable to verify the first certificate/,
    });
  });

  it('is refused if its name is not that of the certificate', async () => {
    address = address.replace('localhost', '127.0.0.1');
    try {
      await assert.rejects(ask(`sslmode=verify-full&sslrootcert=${authority}`), {
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
