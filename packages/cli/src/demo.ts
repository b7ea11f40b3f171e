import type { Command } from 'commander';
import { demoEmail, ensureDemoBook } from './demo-user.ts';
import { readEmail } from './email.ts';
import { Misuse } from './failure.ts';
import { mintToken } from './mint-token.ts';
import { addDatabaseOption, withStore } from './open-database.ts';
import type { DatabaseOptions } from './open-database.ts';
import { quote } from './printable.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

interface DemoOptions extends DatabaseOptions {
  readonly email: string;
  readonly transactions?: string;
  readonly seed?: string;
}

/** `coffer demo`. */
export function defineDemo(demo: Command, surroundings: Surroundings): void {
  demo
    .description(
      'Make a user with a demo book, ten years of a household, and print an access token for it, alone. ' +
        'Equal options make equal books.',
    )
    .option('--transactions <number>', 'rows of the book, 100 to 1000000; default 12000')
    .option('--seed <number>', 'changes the details, 0 to 4294967295; default 1')
    .option('--email <address>', 'e-mail address of the user', demoEmail);
  addDatabaseOption(demo).action((options: DemoOptions) => makeDemo(options, surroundings));
}

async function makeDemo(options: DemoOptions, surroundings: Surroundings): Promise<void> {
  const now = surroundings.now();
  const plan = {
    email: readEmail(options.email),
    transactions: readNumber('--transactions', options.transactions),
    seed: readNumber('--seed', options.seed),
    now,
  };
  const { text, isNew } = await withStore(options, surroundings, async (store) => {
    const { book, isNew } = await ensureDemoBook(store, plan);
    return { text: await mintToken(store, book, { label: 'demo', expiresAt: null, now }), isNew };
  });
  const what = isNew ? 'Made the demo book' : 'The demo book is there already: here is a new token';
  writeLine(surroundings.stderr, `${what} (${quote(plan.email)})`);
  writeLine(surroundings.stdout, text);
}

function readNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^(0|[1-9][0-9]{0,9})$/.test(text)) return Number(text);
  throw new Misuse(`${flag}: ${quote(text)} is not a whole number`);
}
