import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startServer, type ServerProcess } from '../measure/child.ts';
import * as here from '../../packages/server/src/main.ts';
import { benchEntries } from '../measure/book.ts';

/** A checkout of Coffer: this one, or one that it is compared with. Its server starts with its own flags. */
export interface Checkout {
  readonly startServer: typeof startServer;
  readonly main: typeof here;
}

export const thisCheckout: Checkout = { startServer, main: here };

export async function loadCheckout(folder: string): Promise<Checkout> {
  const load = (path: string): Promise<unknown> => import(pathToFileURL(join(folder, path)).href);
  const [child, main] = [
    load('bench/measure/child.ts').catch(() => load('bench/child.ts')),
    load('packages/server/src/main.ts'),
  ];
  return { ...((await child) as Pick<Checkout, 'startServer'>), main: (await main) as typeof here };
}

export interface Subject {
  readonly server: ServerProcess;
  readonly token: string;
  readonly databasePid: number | null;
}

export async function fillBookOf({ main }: Checkout, url: string, rows: number): Promise<string> {
  const engine = await main.openDatabase(main.parseDatabase(url));
  const book = await engine.write(() =>
    main.createUser({
      ...{ email: 'bench@example.com', name: 'Bench', bookName: 'Bench', primaryCurrency: 'usd' },
    }),
  );
  const { text, hash } = main.newToken();
  const { userId, id: bookId } = book;
  await engine.write(() =>
    main.createToken({ userId, bookId, hash, label: 'bench', expiresAt: null }),
  );
  const plan = { entries: () => benchEntries(rows), defaultAccount: null, dryRun: false };
  await main.importEntries(engine, bookId, plan);
  await engine.close();
  return text;
}
