import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Neither sources nor needed by them; the bundle would run instead of the sources that are changed. */
const leftOut = new Set(['node_modules', '.git', 'dist', '.cache', 'results']);

/** Copies the sources into a folder, with links to the installed libraries, so that tests run there. */
export function copyTree(target: string): void {
  cpSync(root, target, {
    recursive: true,
    filter: (path) => path === root || !leftOut.has(basename(path)),
  });
  linkLibraries('.', target);
  for (const name of readdirSync(join(root, 'packages'))) linkLibraries(`packages/${name}`, target);
}

/** Links every library of a folder; our own packages are those of the copy. */
function linkLibraries(folder: string, target: string): void {
  const from = join(root, folder, 'node_modules');
  if (!existsSync(from)) return;
  const to = join(target, folder, 'node_modules');
  mkdirSync(join(to, '@coffer'), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== '@coffer') symlinkSync(join(from, name), join(to, name));
  }
  if (folder !== '.') return;
  for (const name of readdirSync(join(from, '@coffer')))
    symlinkSync(join(dirname(to), 'packages', name), join(to, '@coffer', name));
}
