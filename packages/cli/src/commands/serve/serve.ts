import { readConfig, type Config } from '@coffer/server/src/config.ts';
import { serve, type RunningServer } from '@coffer/server/src/main.ts';
import { settings, type FlagName } from '@coffer/server/src/settings.ts';
import type { Command } from 'commander';
import { writeLine, type CommandContext } from '../../terminal/context.ts';
import { Misuse } from '../../terminal/failure.ts';
import { catchStopSignals } from '../../terminal/stop-signals.ts';

/** `--no-web` leaves `false` where `--web` leaves a text. */
type ServeOptions = Omit<Partial<Record<FlagName, string>>, 'web'> & {
  readonly web?: string | boolean;
  readonly setup?: true;
  readonly demo?: true;
  readonly until?: string;
};

/** `coffer serve`. */
export function define(command: Command, context: CommandContext): void {
  command.description('Serve the records over HTTP until SIGINT or SIGTERM is received.');
  for (const { flag, placeholder, description, variable, fallback } of Object.values(settings)) {
    if (flag === null) continue;
    const usual = fallback === '' ? '' : `; default ${fallback}`;
    command.option(`${flag} ${placeholder}`, `${description} (${variable}${usual})`);
  }
  command
    .option('--no-web', 'serve the API without the browser UI, as --web off does')
    .option(
      '--setup',
      'create a first user if there is none, print how to start, and log warnings only',
    )
    .option('--demo', 'create the demo user and book if they are missing')
    .option('--until <day>', 'with --demo: last day of a new demo book (default today, in UTC)')
    .action((options: ServeOptions) => runServer(options, context));
}

async function runServer(options: ServeOptions, context: CommandContext): Promise<void> {
  const { web, until, ...flags } = options;
  if (until !== undefined) await checkUntil(options, until);
  const given = typeof web === 'string' ? { web } : web === false ? { web: 'off' } : {};
  const config = readConfig({ ...flags, ...given }, environmentOf(options, context));
  const signals = catchStopSignals(context, () => process.exit(1), config.stopDelayMs);
  try {
    const server = await serve(config);
    writeLine(context.stdout, `Coffer is listening on ${server.url}`);
    try {
      await prepare(options, config, server, context);
      await signals.requested;
    } finally {
      await server.close();
    }
  } finally {
    signals.release();
  }
}

/** Refuses a last day before the server listens. */
async function checkUntil({ demo }: ServeOptions, until: string): Promise<void> {
  if (demo !== true) throw new Misuse('--until is for --demo');
  const { readDate } = await import('../options.ts');
  readDate('--until', until);
}

/** A newcomer wants to see how to start, not how starting went. */
function environmentOf({ setup }: ServeOptions, { environment }: CommandContext) {
  const { variable } = settings.logLevel;
  const quiet = setup === true && (environment[variable] ?? '') === '';
  return quiet ? { ...environment, [variable]: 'warn' } : environment;
}

async function prepare(
  { setup, demo, until }: ServeOptions,
  config: Config,
  { url, engine: database, files }: RunningServer,
  context: CommandContext,
): Promise<void> {
  const [isSetup, isDemo] = [setup === true, demo === true];
  if (!isSetup && !isDemo) return;
  const { prepareBooks } = await import('./first-start.ts');
  const address = config.publicUrl?.href ?? url;
  const served = { url: address, database, files, config: config.database };
  await prepareBooks({ isSetup, isDemo, until, ...served }, context);
}
