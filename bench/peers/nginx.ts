import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { onFreePort } from '../../packages/core/src/testing/starts.ts';
import { startPeer, type Peer } from './peer.ts';
import { findProgram } from './programs.ts';

export async function startNginx(folder: string, file: string): Promise<Peer | null> {
  const command = findProgram('nginx');
  if (command === null) return null;
  const settings = join(folder, 'nginx.conf');
  const args = ['-p', folder, '-c', settings, '-e', 'stderr'];
  return onFreePort((port) => {
    writeFileSync(settings, settingsOf(folder, file, port));
    return startPeer({ command, args, folder, port, path: `/${basename(file)}` });
  });
}

/** Requests on one connection must not be counted, and a worker of root must be able to read the file. */
function settingsOf(folder: string, file: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    worker_processes 1;
    daemon off;
    pid ${join(folder, 'nginx.pid')};
    events { worker_connections 256; }
    http {
      access_log off;
      sendfile on;
      keepalive_requests 1000000000;
      default_type application/json;
      ${temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ')}
      server { listen 127.0.0.1:${port}; root ${dirname(file)}; }
    }`;
}
