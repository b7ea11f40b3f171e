import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './install.ts';
import { onFreePort } from '../../packages/core/src/testing/starts.ts';
import { startPeer, type Peer, type Row } from './peer.ts';

const jsonServerVersion = '1.0.0-beta.15';

export async function startJsonServer(folder: string, rows: readonly Row[]): Promise<Peer> {
  const dependencies = { 'json-server': jsonServerVersion };
  const packages = await installPackages({ name: 'json-server', dependencies });
  const file = join(folder, 'db.json');
  writeFileSync(file, JSON.stringify({ transactions: rows }));
  const program = join(packages, 'node_modules/json-server/lib/bin.js');
  return onFreePort((port) => {
    const args = [program, '--host', '127.0.0.1', '--port', String(port), file];
    return startPeer({ command: process.execPath, args, folder, port, path: '/transactions/1' });
  });
}

export function jsonServerPage(limit: number, offset: number): string {
  return `/transactions?_page=${offset / limit + 1}&_per_page=${limit}`;
}
