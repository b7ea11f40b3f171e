import assert from 'node:assert/strict';
import { chmodSync, chownSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { onFreePort } from '../../../../core/src/testing/starts.ts';
import { rows } from '../engine.ts';
import { makeCertificate, noOpenssl } from '../../limiter/testing/certificates.ts';
import { noPostgres, openSmallPostgres } from '../testing/engines.ts';
import { newFolder } from '../testing/folder.ts';
import { serverOwner, startPostgres, type PostgresServer } from '../testing/postgres-server.ts';

const skip = noPostgres || noOpenssl;

describe('a PostgreSQL server over TLS', { skip }, () => {
  let server: PostgresServer;
  let address: string;
  const folder = newFolder();
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
        listen_addresses: '127.0.0.1',
        port: String(port),
        ssl: 'on',
        ssl_cert_file: certificateFile,
        ssl_key_file: keyFile,
      });
    });
  });
  after(() => server.stop());

  const ask = async (parameters: string, host = 'localhost'): Promise<unknown> => {
    const engine = openSmallPostgres(`${address.replace('localhost', host)}?${parameters}`);
    const statement = sql`SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;
    return (await engine.read(() => rows<{ ssl: string }>(statement)))[0]?.ssl;
  };

  it('is accepted with its certificate and sslmode=verify-full', async () => {
    assert.equal(await ask(`sslmode=verify-full&sslrootcert=${authority}`), 'true');
  });

  it('is refused with a certificate of another name, or whose authority is not trusted', async () => {
    const refused = (message: RegExp) => ({ name: 'DatabaseError', kind: 'unavailable', message });
    const untrusted = /^The database cannot be reached: unable to verify the first certificate/;
    await assert.rejects(ask('sslmode=verify-full'), refused(untrusted));
    const unnamed = ask(`sslmode=verify-full&sslrootcert=${authority}`, '127.0.0.1');
    const other = /^The database cannot be reached: Hostname\/IP does not match/;
    await assert.rejects(unnamed, refused(other));
  });

  it('is accepted unverified with sslmode=no-verify, and without TLS by default', async () => {
    assert.equal(await ask('sslmode=no-verify'), 'true');
    assert.equal(await ask(''), 'false');
  });
});
