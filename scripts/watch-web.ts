/*
 * Serves the demo book with the browser UI, and bundles the UI again after each change of a source: `npm run web`.
 *
 * Flags of `coffer serve` may follow. Open pages load again when the bundle is new.
 */
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'packages/web/src');
/** Editors write a file in several steps. */
const quietMs = 100;

const bundler = createRequire(import.meta.url)('./bundle-web.cjs') as {
  bundle(isDevelopment: boolean): Promise<void>;
};

async function bundle(): Promise<void> {
  try {
    await bundler.bundle(true);
    console.error('Bundled');
  } catch (error) {
    console.error((error as Error).message);
  }
}

await bundle();
let timer: NodeJS.Timeout | undefined;
watch(SOURCES, { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(() => void bundle(), quietMs);
});
const flags = ['--database', 'sqlite::memory:', '--setup', '--demo', ...process.argv.slice(2)];
const server = spawn(process.execPath, ['packages/cli/coffer.cjs', 'serve', ...flags], {
  cwd: ROOT,
  stdio: 'inherit',
});
server.on('exit', (code) => process.exit(code ?? 1));
