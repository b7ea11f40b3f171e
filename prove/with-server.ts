import { join } from 'node:path';
import { addOwner, inFolder, useStore, type Owner } from './book.ts';
import { startServer, type ServerOptions, type ServerProcess } from './server-process.ts';

/** A server in a process of its own, the first owner of its database, and the folder of both. */
export interface Served {
  readonly server: ServerProcess;
  readonly owner: Owner;
  readonly folder: string;
}

/** Starts a server on a new database that has one owner, for `work`; both are gone afterwards. */
export function withServer<T>(
  options: Omit<ServerOptions, 'database'>,
  work: (served: Served) => Promise<T>,
): Promise<T> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    const owner = await useStore(database, (store) => addOwner(store, 'owner'));
    const server = await startServer({ ...options, database });
    try {
      return await work({ server, owner, folder });
    } finally {
      await server.end('SIGKILL');
    }
  });
}
