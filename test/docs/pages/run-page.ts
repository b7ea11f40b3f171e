import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../house/tracked-files.ts';
import { userPath } from '../../house/user-path.ts';
import type { Block } from './page.ts';

export interface PageRun {
  /** What each started block printed, on stdout and stderr together, by its line in the page. */
  readonly outputs: ReadonlyMap<number, string>;
  readonly failedLine: number | undefined;
}

const timeoutMs = 180_000;
const isRoot = process.getuid?.() === 0;

/** A machine on which the blocks of a page run, with its own network and processes. */
export interface Machine {
  readonly clone: string;
  /** Whether changes of the clone are kept. Changes of /etc, /var, /run, /opt and /srv never are. */
  readonly keepsClone?: boolean;
  readonly isInstalled?: boolean;
  /** Whether `npx coffer` runs the program in the clone directly, as npx does after half a second. */
  readonly hasFastNpx?: boolean;
}

/** Makes a clone of the working tree in `folder`. The first command of a page sets it up, unless it was packed. */
export function makeClone(folder: string): void {
  mkdirSync(folder);
  const files = 'git ls-files -z --cached --others --exclude-standard';
  const copy = `${files} | tar --null --ignore-failed-read -T - -c 2>/dev/null | tar -x -C "${folder}"`;
  execFileSync('sh', ['-c', copy], { cwd: ROOT });
}

/** Packs the product in a clone, and installs the package for other machines. */
export async function installProduct(clone: string): Promise<void> {
  const block = { language: 'sh', code: 'npm run pack\n', line: 1, isOutput: false };
  const { failedLine, outputs } = await runPage({ clone, keepsClone: true }, [block]);
  if (failedLine !== undefined) throw new Error(`Cannot pack: ${outputs.get(1)}`);
  // With the registry, because the cache that `npm ci` leaves has no list of the versions of Node.
  const install = `npm install -g --prefix "${optOf(clone)}/coffer" --prefer-offline ./coffer-*.tgz`;
  const env = { ...process.env, PATH: userPath };
  execFileSync('sh', ['-c', install], { cwd: clone, env, stdio: 'ignore' });
}

const optOf = (clone: string): string => `${clone}-opt`;

/**
 * Runs the blocks of a page in order, as a user would paste them into one shell.
 *
 * Commands that start a server run in the background, and stop the server before it.
 */
export async function runPage(machine: Machine, blocks: readonly Block[]): Promise<PageRun> {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-page-'));
  const out = join(folder, 'out');
  mkdirSync(out);
  mkdirSync(join(folder, 'machine'));
  const scripts = blocks.map((block) => blockScript(block, join(out, String(block.line))));
  writeFileSync(join(folder, 'page.sh'), [shellScript, ...scripts].join('\n'));
  writeFileSync(join(folder, 'machine.sh'), machineScript);
  const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const words = ['sh', join(folder, 'machine.sh'), folder, machine.clone, ROOT];
  const args = [...(isRoot ? [] : ['--map-root-user']), ...namespaces, ...words];
  const child = spawn('unshare', args, {
    env: { ...environment(join(folder, 'machine/home')), ...flagsOf(machine) },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const started = blocks.filter(({ line }) => existsSync(join(out, String(line))));
  const outputs = new Map(
    started.map(({ line }) => [line, readFileSync(join(out, String(line)), 'utf8')]),
  );
  rmSync(folder, { recursive: true, force: true });
  return { outputs, failedLine: code === 0 ? undefined : (started.at(-1)?.line ?? 0) };
}

function flagsOf({ clone, keepsClone, isInstalled, hasFastNpx }: Machine): Record<string, string> {
  return {
    OPT: isInstalled === true ? `${optOf(clone)}:/opt` : '/opt',
    ...(keepsClone === true && { KEEP_CLONE: '1' }),
    ...(hasFastNpx === true && { FAST_NPX: '1' }),
  };
}

/** A user's environment: the programs of this machine, and npm without the network. */
function environment(home: string): Record<string, string> {
  const cache = process.env['npm_config_cache'] ?? join(process.env['HOME'] ?? '', '.npm');
  const npm = { npm_config_offline: 'true', npm_config_cache: cache, npm_config_loglevel: 'error' };
  return { PATH: userPath, HOME: home, LANG: 'C.UTF-8', TZ: 'UTC', ...npm };
}

/** Makes the machine. Its arguments: the folder of the page, the clone and this repository. */
const machineScript = `
set -eu
folder=$1 clone=$2 root=$3
ip link set lo up
mount -t tmpfs tmpfs "$folder/machine"
overlay() {
  upper="$folder/machine/upper/$3" work="$folder/machine/work/$3"
  mkdir -p "$upper" "$work" "$2"
  mount -t overlay overlay -o "lowerdir=$1,upperdir=$upper,workdir=$work" "$2"
}
for name in etc var srv run; do overlay "/$name" "/$name" "$name"; done
overlay "$OPT" /opt opt
[ -n "\${KEEP_CLONE-}" ] || overlay "$clone" "$clone" clone
for modules in node_modules packages/client/node_modules packages/server/node_modules; do
  overlay "$root/$modules" "$clone/$modules" "$modules"
done
clients="$root/test/clients/node_modules/.bin"
[ ! -d "$clients" ] || ln -sf "$clients/lm" "$clone/node_modules/.bin/lm"
mkdir "$folder/machine/home" "$folder/machine/bin"
if [ -n "\${FAST_NPX-}" ]; then
  printf '#!/bin/sh\\nshift && exec node_modules/.bin/coffer "$@"\\n' >"$folder/machine/bin/npx"
  chmod +x "$folder/machine/bin/npx"
  PATH="$folder/machine/bin:$PATH"
fi
cd "$clone"
exec bash "$folder/page.sh"
`;

const shellScript = `
set -e
server=
start_server() {
  "$@" &
  server=$!
  # npm start creates the first book after it listens.
  case "$*" in *"npm start"*) ready="Press Ctrl" ;; *) ready="listening on" ;; esac
  for attempt in $(seq 600); do
    grep -q "$ready" "$output" && return
    kill -0 "$server" || return 1
    sleep 0.1
  done
  return 1
}
stop_server() {
  if [ -n "$server" ]; then
    kill -INT "$server" && wait "$server" || true
    server=
  fi
}
`;

/** The first words of commands that serve until they are stopped. */
const serving = /^((?:[A-Z_]+=\S+ )*)((?:npm start|(?:\S*\/|npx )?coffer serve)\b)/gm;

/** What runs the blocks of other languages, and the extension of its files. */
const programs: ReadonlyMap<string, readonly [program: string, extension: string]> = new Map([
  ['js', ['node', 'mjs']],
  ['python', ['python3', 'py']],
]);

export const languages = ['sh', ...programs.keys()];

function blockScript({ language, code }: Block, output: string): string {
  const [program, extension] = programs.get(language) ?? [];
  const file = `block.${extension}`;
  const commands =
    program === undefined
      ? code.replaceAll(serving, 'stop_server\nstart_server env $1$2')
      : `cat >${file} <<'END_OF_BLOCK'\n${code}END_OF_BLOCK\nexport TOKEN BASE_URL\n${program} ${file}\n`;
  return `output="${output}"\n{\n${commands}} >"${output}" 2>&1`;
}
