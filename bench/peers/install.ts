import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface Packages {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
  /** Packages whose install script must run: others may not run any code while they are installed. */
  readonly built?: readonly string[];
}

/** Installs packages from npm into the cache of the user, unless they are there, and returns their folder. */
export async function installPackages(packages: Packages): Promise<string> {
  const folder = folderOf(packages);
  const done = join(folder, 'installed');
  if (existsSync(done)) return folder;
  console.log(`  installing ${packages.name} into ${folder} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { dependencies, overrides = {}, built = [] } = packages;
  const manifest = { private: true, dependencies, overrides };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  await npm(folder, 'install', '--ignore-scripts', '--no-audit', '--no-fund');
  for (const name of built) await npm(folder, 'rebuild', name);
  writeFileSync(done, '');
  return folder;
}

function folderOf(packages: Packages): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const key = JSON.stringify([packages, process.versions.modules, process.arch]);
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12);
  return join(cache, 'coffer-bench', `${packages.name}-${hash}`);
}

/** Runs npm with this Node, and with its headers if it has them: modules are built for it without a download. */
async function npm(folder: string, ...args: readonly string[]): Promise<void> {
  const bin = dirname(process.execPath);
  const headers = dirname(bin);
  const hasHeaders = existsSync(join(headers, 'include/node/node.h'));
  const env = {
    ...process.env,
    PATH: [bin, process.env['PATH']].join(delimiter),
    ...(hasHeaders && { npm_config_nodedir: headers }),
  };
  try {
    await execute('npm', [...args], { cwd: folder, env, maxBuffer: 1e8 });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(`npm ${args[0]} failed: ${stderr.slice(-1000) || message}`, { cause: error });
  }
}
