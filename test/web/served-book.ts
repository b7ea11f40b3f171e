import { makeDemoBook } from '../../packages/server/src/demo/book/make-demo-book.ts';
import { signInAddress, createLink } from '../../packages/server/src/identity/sessions/actions.ts';
import { createUser } from '../../packages/server/src/identity/users/actions.ts';
import { fillDemo } from '../../packages/server/src/demo/fill.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { serve, type RunningServer } from '../../packages/server/src/main.ts';

/** A book on a real server, and the ways into it. */
export interface ServedBook {
  /** The origin for a browser: a name, because browsers refuse passkeys on an address. */
  readonly origin: string;
  readonly link: () => Promise<string>;
  readonly signIn: () => Promise<{ readonly name: string; readonly value: string }>;
}

/** Starts a server on a free port, which also sends webhooks to this machine, and reads banks on it. */
export function startServer(): Promise<RunningServer> {
  const flags = {
    port: '0',
    database: 'sqlite::memory:',
    logLevel: 'silent',
    rateLimit: '100000/60s',
    webhookPrivateTargets: '127.0.0.0/8,::1',
    bankSetup: 'on',
  };
  return serve(readConfig(flags, { ENCRYPTION_KEY: 'b'.repeat(64) }));
}

let users = 0;

/** Adds a user with the demo book of some transactions; with an empty book for 0. */
export async function addBook(server: RunningServer, transactions: number): Promise<ServedBook> {
  users += 1;
  const email = `demo${users}@coffer.example`;
  const demo = makeDemoBook(transactions === 0 ? {} : { transactions });
  const { primaryCurrency } = demo;
  const user = { email, name: 'Demo', bookName: 'Demo Household', primaryCurrency };
  const book = await server.engine.write(() => createUser(user));
  if (transactions !== 0) await fillDemo(server.engine, book.id, demo, server.files);
  const origin = `http://localhost:${new URL(server.url).port}`;
  const link = async (): Promise<string> =>
    signInAddress(origin, await server.engine.write(() => createLink(book)));
  const signIn = async () => {
    const secret = new URL(await link()).hash.slice(1);
    const response = await fetch(`${origin}/coffer/session`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
        // A connection kept while a large book was filled is closed before the timer of its client can see it.
        connection: 'close',
      },
      body: JSON.stringify({ method: 'link', secret }),
    });
    const [, name, value] = /^(\w+)=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')!;
    return { name: name!, value: value! };
  };
  return { origin, link, signIn };
}
