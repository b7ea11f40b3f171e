import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A server that was started by the very words of a file. */
export interface StartedProgram {
  readonly url: string;
  /** Has it stop and resolves to its exit code, or to the signal that ended it. */
  end(): Promise<number | NodeJS.Signals>;
}

/** How a program is started: `env` is its whole environment. */
export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const startTimeoutMs = 20_000;

/** Runs a program until it says where it listens. Rejects with what it said when it ends before. */
export async function startProgram(
  [program = '', ...args]: readonly string[],
  options: ProgramOptions,
): Promise<StartedProgram> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close').then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
  );
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  const deadline = setTimeout(() => {
    child.kill('SIGKILL');
    reject(new Error(`The program did not listen in time: ${output}`));
  }, startTimeoutMs);
  child.once('error', reject);
  void ended.catch(() => 0).then((code) => reject(new Error(`It ended with ${code}: ${output}`)));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const url = /listening on (\S+)/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
  }
  const url = await promise.finally(() => clearTimeout(deadline));
  return {
    url,
    end: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
