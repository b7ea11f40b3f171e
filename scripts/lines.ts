/*
 * Counts the lines of the product: `node scripts/lines.ts`.
 *
 * They are the lines of the TypeScript of packages, without tests, what only tests use, models, contracts and generated
 * files. Prints them by room, the number of files, and how many files have one importer.
 */
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readImports } from './imports.ts';

const ROOT = join(import.meta.dirname, '..');
const isProduct = /^packages\/.*\.tsx?$/;
const isOther =
  /\.test\.tsx?$|\/testing\/|-(?:model|contract)\.ts$|openapi-(?:types|methods)|\.d\.ts$/;

/** A room of the server, or a package. */
function roomOf(file: string): string {
  const [, name = '', , folder = ''] = file.split('/');
  return name === 'server' && !folder.includes('.') ? `server/${folder}` : name;
}

const { stdout } = spawnSync('git', ['ls-files', 'packages'], { cwd: ROOT, encoding: 'utf8' });
const files = stdout.split('\n').filter((file) => isProduct.test(file) && !isOther.test(file));
const lines = new Map(
  files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1]),
);
const { modules } = await readImports(ROOT);
const importers = new Map(modules.map(({ source, dependents }) => [source, dependents]));
const single = files.filter((file) => {
  const ofProduct = (importers.get(file) ?? []).filter((each) => !isOther.test(each));
  return ofProduct.length === 1;
});
const rooms = Map.groupBy(files, roomOf);
const sum = (of: readonly string[]): number =>
  of.reduce((total, file) => total + lines.get(file)!, 0);
for (const [room, of] of [...rooms].toSorted(([, a], [, b]) => sum(b) - sum(a)))
  console.log(`${String(sum(of)).padStart(7)} ${String(of.length).padStart(5)} ${room}`);
console.log(
  `${sum(files)} lines in ${files.length} files; ${single.length} files have one importer`,
);
