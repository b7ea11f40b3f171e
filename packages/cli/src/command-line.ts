import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { writeLine, type CommandContext } from './terminal/context.ts';
import { explain } from './terminal/failure.ts';

const summaries = {
  serve: 'serve the API over HTTP',
  user: 'create, list, rename and remove users',
  book: 'create, list, rename and remove books',
  account: 'list, rename and archive manual accounts',
  category: 'list and rename categories',
  rules: 'list, add, remove, order and preview rules for new transactions',
  recurring: 'list, add, update and remove recurring items, and accept suggestions',
  'sign-in': 'print a link that signs a user in with a browser',
  token: 'create, list, rename and revoke access tokens',
  crypto: 'add, list and remove synced crypto accounts',
  sync: 'add, list, read and remove connections to banks',
  webhook: 'add, list, test and remove webhooks, and deliver again',
  rates: 'import and list exchange rates',
  import: 'import bank statements into a book',
  imports: 'list, show and undo imports of bank statements',
  history: 'list the changes of a book, and show what a change did',
  undo: 'undo a change of a book',
  export: 'export a book as CSV or NDJSON',
  backup: 'write a backup of a database file',
  restore: 'restore a database file from a backup',
  move: 'copy a whole database to another engine',
  demo: 'create a user with a demo book',
  doctor: 'check a database, and fix derived data',
};
type CommandName = keyof typeof summaries;

/** Adds the options and the action of a command. */
interface CommandModule {
  define(command: Command, context: CommandContext): void;
}

/** Each loads the code of only one command, for a fast start. */
const modules: Readonly<Record<CommandName, () => Promise<CommandModule>>> = {
  serve: () => import('./commands/serve/serve.ts'),
  user: () => import('./commands/user/user.ts'),
  book: () => import('./commands/book/book.ts'),
  account: () => import('./commands/account/account.ts'),
  category: () => import('./commands/category/category.ts'),
  rules: () => import('./commands/rules/rules.ts'),
  recurring: () => import('./commands/recurring/recurring.ts'),
  'sign-in': () => import('./commands/sign-in/sign-in.ts'),
  token: () => import('./commands/token/token.ts'),
  crypto: () => import('./commands/crypto/crypto.ts'),
  sync: () => import('./commands/sync/sync.ts'),
  webhook: () => import('./commands/webhook/webhook.ts'),
  rates: () => import('./commands/rates/rates.ts'),
  import: () => import('./commands/import/import.ts'),
  imports: () => import('./commands/imports/imports.ts'),
  history: () => import('./commands/history/history.ts'),
  undo: () => import('./commands/undo/undo.ts'),
  export: () => import('./commands/export/export.ts'),
  backup: () => import('./commands/backup/backup.ts'),
  restore: () => import('./commands/restore/restore.ts'),
  move: () => import('./commands/move/move.ts'),
  demo: () => import('./commands/demo/demo.ts'),
  doctor: () => import('./commands/doctor/doctor.ts'),
};

/** Runs the command that `argv` names. Resolves to its exit code: 0, 1 (refused or failed) or 2 (misuse). */
export async function runCommandLine(
  argv: readonly string[],
  context: CommandContext,
): Promise<number> {
  const program = await makeProgram(argv.slice(0, 2), context);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    // The help that is printed because no command was given is misuse.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const failure = explain(error);
    if (failure === null) throw error;
    writeLine(context.stderr, failure.message);
    return failure.exitCode;
  }
}

/** Returns the program with all commands. Commands that are not in `names` have only a summary. */
async function makeProgram(names: readonly string[], context: CommandContext): Promise<Command> {
  const program = new Command('coffer')
    .description('Coffer keeps financial records and serves them over an HTTP JSON API.')
    .version(readVersion(), '-V, --version', 'print the version and exit')
    .helpOption('-h, --help', 'print this help and exit')
    .helpCommand('help [command]', 'print the help of a command and exit')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      outputError: (text, write) => write(asTitle(text.replace(/^error: /, ''))),
    })
    .addHelpText('after', '\nRun "coffer help COMMAND" for the options of a command.')
    .showHelpAfterError('Run "coffer --help" for a list of commands');
  for (const name of Object.keys(summaries) as CommandName[]) {
    const summary = summaries[name];
    const command = program
      .command(name)
      .summary(summary)
      .description(`${asTitle(summary)}.`);
    command.showHelpAfterError(`Run "coffer ${name} --help" for its options`);
    if (names.includes(name)) (await modules[name]()).define(command, context);
  }
  return program;
}

function asTitle(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function readVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
