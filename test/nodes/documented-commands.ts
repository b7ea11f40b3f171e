import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresPrograms } from '../../packages/server/src/db/testing/postgres-server.ts';
import { ROOT } from '../house/tracked-files.ts';
import { replaced } from './proxies.ts';

const run = promisify(execFile);
const nobody = 65_534;
const timeoutMs = 60_000;

/** A page of the documentation whose examples are run as they stand there. */
export interface DocumentedCommands {
  /** The example of that language in which `words` stand, with the words of this machine in it. */
  example(language: 'sh' | 'ini', words: string): string;
  /** Runs the example in which `words` stand and resolves to what it printed. Rejects when a line of it fails. */
  run(words: string): Promise<string>;
}

/**
 * Reads a page. `words` are what stands in for places of the page, `environment` the variables that it speaks of.
 *
 * What calls `coffer` runs as the user of the tests; everything else as the user that PostgreSQL runs as.
 */
export function documentedCommands(
  page: string,
  words: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
): DocumentedCommands {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n([^]*?)^```/gm)];
  const example: DocumentedCommands['example'] = (language, wanted) => {
    const found = blocks.filter(([, kind, code]) => kind === language && code?.includes(wanted));
    if (found.length !== 1) throw new Error(`${found.length} examples have "${wanted}"`);
    const code = found[0]?.[2] ?? '';
    return replaced(
      code,
      Object.fromEntries(Object.entries(words).filter(([place]) => code.includes(place))),
    );
  };
  const coffer = `${process.execPath} ${join(ROOT, 'packages/cli/coffer.cjs')}`;
  const asOwner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  return {
    example,
    run: async (wanted) => {
      const code = example('sh', wanted);
      const isOurs = code.includes('npx coffer');
      const script = code.replaceAll('npx coffer', coffer);
      const { stdout } = await run('sh', ['-e', '-c', script], {
        ...(isOurs ? {} : asOwner),
        cwd: '/',
        timeout: timeoutMs,
        env: {
          ...process.env,
          ...environment,
          PATH: `${postgresPrograms()}:${process.env['PATH']}`,
        },
      });
      return stdout;
    },
  };
}
