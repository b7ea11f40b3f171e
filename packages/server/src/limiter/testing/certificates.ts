import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A certificate for one name or address, its key, and the authority that signed it. */
export interface Certificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly authorityFile: string;
  /** The authority's certificate as text. */
  readonly authority: string;
}

const folders = (process.env['PATH'] ?? '').split(delimiter);

/** Why tests with certificates are skipped; false when certificates can be created. */
export const noOpenssl =
  !folders.some((folder) => existsSync(join(folder, 'openssl'))) && 'missing: openssl';

/** The flags of a Redis server with this certificate that requires none from its clients. */
export function tlsFlags({ certificateFile, keyFile, authorityFile }: Certificate): string[] {
  const files = ['--tls-cert-file', certificateFile, '--tls-key-file', keyFile];
  return [...files, '--tls-ca-cert-file', authorityFile, '--tls-auth-clients', 'no'];
}

/** Creates an authority and a certificate for `subject`, such as `IP:127.0.0.1`, in `folder`. */
export function makeCertificate(folder: string, subject: string): Certificate {
  const path = (name: string): string => join(folder, name);
  const openssl = (...args: readonly string[]): void =>
    void execFileSync('openssl', args, { stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const [authorityFile, keyFile] = [path('authority.pem'), path('server.key')];
  const asAuthority = ['-subj', '/CN=Test authority', '-keyout', path('authority.key')];
  openssl('req', '-x509', ...newKey, ...asAuthority, '-out', authorityFile);
  const request = ['-subj', '/CN=Test server', '-keyout', keyFile, '-out', path('server.csr')];
  openssl('req', ...newKey.slice(0, -2), ...request);
  writeFileSync(path('extensions'), `subjectAltName=${subject}\n`);
  const signer = ['-CA', authorityFile, '-CAkey', path('authority.key'), '-CAcreateserial'];
  const signed = ['-days', '2', '-extfile', path('extensions'), '-out', path('server.pem')];
  openssl('x509', '-req', '-in', path('server.csr'), ...signer, ...signed);
  return {
    certificateFile: path('server.pem'),
    keyFile,
    authorityFile,
    authority: readFileSync(authorityFile, 'utf8'),
  };
}
