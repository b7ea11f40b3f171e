import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { ROOT } from '../house/tracked-files.ts';
import { readImage } from './container-image.ts';
import { inTemporaryRoot, noTemporaryRoot, quoted } from './temporary-root.ts';

const run = promisify(execFile);
const hasEngine = spawnSync('docker', ['info']).status === 0;
const engineTimeoutMs = 600_000;

interface Service {
  readonly volumes: readonly string[];
  readonly healthcheck: { readonly test: readonly string[] };
  readonly tmpfs: readonly string[];
  readonly read_only: boolean;
}

const composeText = readFileSync(join(ROOT, 'deploy/compose.one-node.yaml'), 'utf8');
const { coffer } = (parse(composeText) as { services: { coffer: Service } }).services;
const [, dataFolder = ''] = coffer.volumes[0]?.split(':') ?? [];
const words = (list: readonly string[]): string => list.map(quoted).join(' ');

/** A request from inside the container; prints status and body. */
const request = `
const [path, token, body] = process.argv.slice(1);
const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' };
const options = { headers, ...(body && { body, method: 'POST' }) };
fetch('http://127.0.0.1:8080' + path, options).then(async (found) => console.log(found.status, await found.text()));`;

/** What an operator does. The functions `start`, `stop` and `inside` are those of the way in which the image runs. */
const scenario = `
ask() { inside node --eval ${quoted(request)} -- "$@"; }
start
inside coffer user create --email ann@example.com --name Ann >&2
token=$(inside coffer token create --email ann@example.com)
ask /v2/tags "$token" '{"name":"kept"}'
inside coffer backup ${dataFolder}/nightly.bak --force >&2
stop
start
ask /v2/tags "$token"
ask /openapi.json "$token" | head -n 1 | cut -c 1-3
inside coffer doctor
inside stat --format='%u %a %n' ${dataFolder}/coffer.db ${dataFolder}/nightly.bak
inside id -u
stop
echo 'stopped'
`;

function assertKept(output: string): void {
  const [created = '', listed = '', document, ...rest] = output.trim().split('\n');
  assert.match(created, /^201 \{"id":1,"name":"kept",/);
  assert.match(listed, /^200 \{"tags":\[\{"id":1,"name":"kept",/);
  assert.equal(document, '200');
  assert.deepEqual(rest, [
    'Everything agrees',
    `1000 600 ${dataFolder}/coffer.db`,
    `1000 600 ${dataFolder}/nightly.bak`,
    '1000',
    'stopped',
  ]);
}

describe('the image of deploy/Containerfile with the settings of compose.one-node.yaml', () => {
  test('its steps, run in a temporary root', { skip: noTemporaryRoot }, async () => {
    const { user, folder, environment, command, build } = readImage();
    assert.ok(coffer.read_only);
    const settings = words(Object.entries(environment).map((pair) => pair.join('=')));
    const prefix = `chroot --userspec=${user}:${user} "$T/image/root" env -i -C ${folder} PATH=/usr/local/bin:/usr/bin:/bin ${settings}`;
    const output = await inTemporaryRoot(`
${build}
image="$T/image/root"
# A new named volume begins as a copy of the folder in the image, owner and mode included.
mkdir "$T/volume"
cp --archive --no-target-directory "$image${dataFolder}" "$T/volume"
mount -o remount,ro "$image"
for place in $own_folders; do mount -o remount,ro "$image/$place"; done
${coffer.tmpfs.map((place) => `mount -t tmpfs tmpfs "$image${place}"`).join('\n')}
mount --bind "$T/volume" "$image${dataFolder}"
inside() { ${prefix} "$@"; }
start() {
  ${prefix} ${words(command)} >"$T/server.log" 2>&1 &
  server=$!
  until_ok inside ${words(coffer.healthcheck.test.slice(1))}
}
stop() {
  kill -TERM $server
  wait $server
}
${scenario}`);
    assertKept(output);
  });

  const skip = !hasEngine && 'missing: a container engine; its steps ran in a temporary root';
  test('by a container engine', { skip, timeout: engineTimeoutMs }, async () => {
    const name = `coffer-test-${randomUUID()}`;
    const script = `
docker build --quiet --file deploy/Containerfile --tag ${name} . >&2
trap '{ docker rm --force ${name}; docker volume rm ${name}; docker image rm ${name}; } >&2' EXIT
inside() { docker exec ${name} "$@"; }
start() {
  docker run --detach --name ${name} --init --read-only ${coffer.tmpfs.map((place) => `--tmpfs ${place}`).join(' ')} \\
    --cap-drop ALL --security-opt no-new-privileges --volume ${name}:${dataFolder} ${name} >&2
  for _ in $(seq 200); do
    if inside ${words(coffer.healthcheck.test.slice(1))}; then return; fi
    sleep 0.1
  done
  exit 1
}
stop() {
  docker stop ${name} >&2
  docker rm ${name} >&2
}
${scenario}`;
    const { stdout } = await run('sh', ['-euc', script], { cwd: ROOT, timeout: engineTimeoutMs });
    assertKept(stdout);
  });
});
