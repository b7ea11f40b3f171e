import { execFile } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../house/tracked-files.ts';
import { skipWithout } from './proxies.ts';

const run = promisify(execFile);
const programs = ['unshare', 'mount', 'chroot', 'ip', 'useradd', 'curl'];

/** Why a temporary root is not possible on this machine; false when it is. */
export const noTemporaryRoot =
  process.getuid?.() === 0 ? skipWithout(...programs) : 'missing: the rights of root';

/**
 * The beginning of every script. `new_root NAME` creates a root file system at `$T/NAME/root`: the machine's own,
 * copied on write, with empty folders where an operator installs programs. The clone is at `/source` in it, and `node`
 * is the Node of this process.
 */
const prelude = `
set -eu
trap '[ $? = 0 ] || cat "$T"/*.log >&2' EXIT
mount -t tmpfs tmpfs "$T"
ip link set lo up
own_folders='opt srv home root run var/lib var/backups tmp'
new_root() {
  mkdir -p "$T/$1/upper" "$T/$1/work" "$T/$1/root"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$T/$1/upper,workdir=$T/$1/work" "$T/$1/root"
  for folder in $own_folders; do
    mkdir -p "$T/$1/root/$folder"
    mount -t tmpfs -o mode=755 tmpfs "$T/$1/root/$folder"
  done
  chmod 1777 "$T/$1/root/tmp"
  mkdir "$T/$1/root/source"
  mount --bind -o ro "$SOURCE" "$T/$1/root/source"
  mount -t proc proc "$T/$1/root/proc"
  mount --rbind /dev "$T/$1/root/dev"
  touch "$T/$1/root/usr/local/bin/node"
  mount --bind "$NODE" "$T/$1/root/usr/local/bin/node"
}
# Waits until the command succeeds.
until_ok() {
  for _ in $(seq 200); do
    if "$@" >"$T/attempt" 2>&1; then return; fi
    sleep 0.1
  done
  cat "$T/attempt" >&2
  exit 1
}
`;

/**
 * Runs a shell script as root in its own namespaces of mounts, processes and network, where ports are free and nothing
 * outlives the script. Resolves to its stdout; rejects with its stderr when a command of it fails.
 */
export async function inTemporaryRoot(script: string, timeoutMs = 300_000): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-root-'));
  const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child'];
  try {
    const { stdout } = await run('unshare', [...namespaces, 'sh', '-c', prelude + script], {
      timeout: timeoutMs,
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        T: folder,
        SOURCE: ROOT,
        NODE: process.execPath,
      },
    });
    return stdout;
  } catch (error) {
    throw new Error(`The script failed:\n${(error as { stderr: string }).stderr}`);
  } finally {
    rmdirSync(folder);
  }
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
