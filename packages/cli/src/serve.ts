import { flushCompileCache } from 'node:module';
import { readConfig, serve, settings } from '@coffer/server';
import type { Config, FlagName, RunningServer } from '@coffer/server';
import type { Command } from 'commander';
import { catchStopSignals } from './stop-signals.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

type ServeOptions = Partial<Record<FlagName, string>> & {
  readonly setup?: true;
  readonly demo?: true;
};

/** Late enough for the first requests to be answered, soon enough for a server that is killed. */
const cacheFlushDelayMs = 2000;

/** `coffer serve`. */
export function defineServe(command: Command, surroundings: Surroundings): void {
  command.description('Serve the records over HTTP until SIGINT or SIGTERM comes.');
  for (const { flag, placeholder, description, variable, fallback } of Object.values(settings)) {
    if (flag === null) continue;
    const usual = fallback === '' ? '' : `; default ${fallback}`;
    command.option(`${flag} ${placeholder}`, `${description} (${variable}${usual})`);
  }
  command
    .option('--setup', 'make a first user if there is none, and print how to begin')
    .option('--demo', 'make the demo user and book if they are not there')
    .action((options: ServeOptions) => runServer(options, surroundings));
}

async function runServer(options: ServeOptions, surroundings: Surroundings): Promise<void> {
  const config = readConfig(options, surroundings.environment);
  const signals = catchStopSignals(surroundings, () => process.exit(1), config.stopDelayMs);
  try {
    const server = await serve(config);
    writeLine(surroundings.stdout, `Coffer is listening on ${server.url}`);
    const flush = setTimeout(flushCompileCache, cacheFlushDelayMs).unref();
    try {
      await prepare(options, config, server, surroundings);
      await signals.requested;
    } finally {
      clearTimeout(flush);
      await server.close();
    }
  } finally {
    signals.release();
  }
  flushCompileCache();
}

async function prepare(
  options: ServeOptions,
  config: Config,
  { url, store }: RunningServer,
  surroundings: Surroundings,
): Promise<void> {
  if (options.setup !== true && options.demo !== true) return;
  const { prepareBooks } = await import('./first-start.ts');
  const isSetup = options.setup === true;
  const isDemo = options.demo === true;
  await prepareBooks({ isSetup, isDemo, url, store, database: config.database }, surroundings);
}
