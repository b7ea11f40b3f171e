import { connection } from './connection.ts';
import { isOffline } from './errors.ts';

/** Sends until the server can be reached, so that nothing typed is lost. Other failures are thrown. */
export async function persistently<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isOffline(error)) throw error;
      await connection.ready();
    }
  }
}
