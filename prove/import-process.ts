import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { databaseUrl } from './book.ts';

const command = join(import.meta.dirname, '../packages/cli/coffer.cjs');

/** What an import is of. */
export interface ImportJob {
  /** A path, or a URL. */
  readonly database: string;
  readonly email: string;
  readonly files: readonly string[];
  /** What runs the command instead of nothing, such as `strace` with its arguments. */
  readonly runner?: readonly string[];
  /** Called when the command has said that a file is in, with the file's index. */
  readonly onImported: (index: number) => void;
}

/** How a command ended. */
export interface Ending {
  /** The exit code, or the name of the signal that ended it. */
  readonly code: number | NodeJS.Signals;
  readonly errors: string;
}

/** A `coffer import` that is running. */
export interface ImportProcess {
  readonly kill: () => void;
  readonly ended: Promise<Ending>;
}

/** Starts `coffer import`, which takes in the files one by one, each whole or not at all. */
export function startImport(job: ImportJob): ImportProcess {
  const child = spawnImport(job);
  let said = '';
  let imported = 0;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (said + text).split('\n');
    said = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('{"imported":')) continue;
      job.onImported(imported);
      imported += 1;
    }
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: (code ?? signal) as Ending['code'],
    errors,
  }));
  return { kill: () => void child.kill('SIGKILL'), ended };
}

function spawnImport({ database, email, files, runner = [] }: ImportJob): ChildProcess {
  const whose = ['--email', email, '--database', databaseUrl(database)];
  const program = [...runner, process.execPath, command, 'import', '--json', ...whose, ...files];
  const [executable = '', ...rest] = program;
  return spawn(executable, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
}
