import { signInAddress, createLink } from '@coffer/server/src/identity/sessions/actions.ts';
import { readConfig, type Config } from '@coffer/server/src/config.ts';
import { settings } from '@coffer/server/src/settings.ts';
import type { Book } from '@coffer/server/src/operations/caller.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type { Command } from 'commander';
import { perform } from '../options.ts';
import { addBookOptions, withBook, type BookOptions } from '../book.ts';
import { writeLine, type CommandContext } from '../../terminal/context.ts';
import { quote } from '../../terminal/format.ts';

type SignInOptions = BookOptions & { readonly publicUrl?: string; readonly port?: string };

/** `coffer sign-in`. */
export function define(command: Command, context: CommandContext): void {
  command.description(
    'Print a link that signs a user in with a browser, once and within 15 minutes. The server need not be stopped.',
  );
  for (const { flag, placeholder, description, variable, fallback } of [
    settings.publicUrl,
    settings.port,
  ]) {
    const usual = fallback === '' ? '' : `; default ${fallback}`;
    command.option(`${flag} ${placeholder}`, `${description} (${variable}${usual})`);
  }
  perform(addBookOptions(command), context, printLink);
}

async function printLink(options: SignInOptions, context: CommandContext): Promise<void> {
  const { publicUrl, port } = options;
  const flags = {
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(port === undefined ? {} : { port }),
  };
  const address = addressOf(readConfig(flags, context.environment));
  await withBook(options, context, async (database, book, user) => {
    writeLine(context.stdout, await newSignInLink(database, book, address));
    writeLine(context.stderr, `Signs ${quote(user.email)} in, once and within 15 minutes`);
  });
}

/** Makes a link that signs the owner of a book in. `address` is that of the server. */
export async function newSignInLink(
  database: Engine,
  book: Book,
  address: string,
): Promise<string> {
  return signInAddress(address, await database.write(() => createLink(book)));
}

function addressOf({ publicUrl, host, port }: Config): string {
  const literal = host.includes(':') ? `[${host}]` : host;
  return publicUrl?.href ?? `http://${literal}:${port}`;
}
