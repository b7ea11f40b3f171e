/*
 * Builds the published package in packages/client/dist: `npm run client`.
 *
 * The package has the sources as JavaScript and types, compiled by tsc, a package.json, the README and the
 * licence. The workspace itself uses the TypeScript in src/.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');
const compilerTimeoutMs = 120_000;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

/** Builds the package in a folder, which is emptied first. Rejects with the compiler's output when that fails. */
export async function buildClient(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await compile(join(folder, 'esm'));
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  await writeFile(join(folder, 'package.json'), JSON.stringify(published(manifest), null, 2));
  await copyFile(join(root, 'README.md'), join(folder, 'README.md'));
  await copyFile(join(root, '../../LICENSE'), join(folder, 'LICENSE'));
}

/**
 * Compiles for the oldest supported platform. The `lib` of tsconfig.json has nothing newer and nothing of Node, so a
 * source that uses more does not compile.
 */
async function compile(outDir: string): Promise<void> {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const args = [compiler, '-p', import.meta.dirname, '--outDir', outDir];
  await promisify(execFile)(process.execPath, args, { timeout: compilerTimeoutMs }).catch(
    (error: unknown) => {
      throw new Error(
        `The client does not compile:\n${String((error as { stdout?: string }).stdout)}`,
      );
    },
  );
}

function published({ name, version, description, license }: Manifest): object {
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines: { node: '>=20' },
    sideEffects: false,
    exports: { '.': { types: './esm/index.d.ts', default: './esm/index.js' } },
    files: ['esm'],
  };
}

if (import.meta.main) await buildClient(join(root, 'dist'));
