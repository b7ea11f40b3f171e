import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  postgresPrograms,
  serverOwner,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import { ROOT } from '../house/tracked-files.ts';
import { replaced } from './proxies.ts';

const run = promisify(execFile);
const timeoutMs = 60_000;
const asServerOwner = 'runuser -u postgres -- ';

/** A page of the documentation whose shell examples can be run. */
export interface DocumentedCommands {
  /** Runs the only example that contains `words`, and resolves to its stdout. Rejects when a line of it fails. */
  run(words: string): Promise<string>;
}

/**
 * Reads a page. In its examples, the keys of `words` are replaced by their values, and `environment` has their
 * variables.
 *
 * An example with a line that begins with `coffer` runs as the user of the tests. Every other one runs as the user that
 * PostgreSQL runs as.
 */
export function documentedCommands(
  page: string,
  words: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
): DocumentedCommands {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, code = '']) => code);
  const example = (wanted: string): string => {
    const [code = '', ...others] = blocks.filter((block) => block.includes(wanted));
    if (code === '' || others.length > 0) throw new Error(`Not one example has "${wanted}"`);
    const found = Object.entries(words).filter(([word]) => code.includes(word));
    return replaced(code, Object.fromEntries(found)).replaceAll(asServerOwner, '');
  };
  const coffer = `${process.execPath} ${join(ROOT, 'packages/cli/coffer.cjs')} `;
  return {
    run: async (wanted) => {
      const code = example(wanted);
      const script = code.replaceAll(/^coffer /gm, coffer);
      const { stdout } = await run('sh', ['-e', '-c', script], {
        ...(script === code ? serverOwner : {}),
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
