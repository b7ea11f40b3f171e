import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { ROOT } from '../house/tracked-files.ts';
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

interface Instruction {
  readonly name: string;
  readonly text: string;
}

interface Image {
  readonly user: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** A shell script that builds the image in the roots `installed` and `image` of {@link inTemporaryRoot}. */
  readonly build: string;
}

/** The name of the root of the last stage, which has no name in the Containerfile. */
const lastStage = 'image';

/**
 * Reads deploy/Containerfile as far as it is used there. Throws for an instruction that is unknown here.
 *
 * The script runs each step as a builder does. It differs in two places, because there is no registry: the base image
 * is the root of this machine with Node and the user "node" (1000), and `npm ci` copies the installed libraries.
 */
function readImage(): Image {
  const image = { user: 'root', folder: '/', environment: {} as Record<string, string> };
  let command: string[] = [];
  let stage = '';
  const script = [contextScript()];
  for (const { name, text } of instructions()) {
    const root = `"$T/${stage}/root"`;
    if (name === 'FROM') {
      stage = / AS (\w+)$/.exec(text)?.[1] ?? lastStage;
      image.folder = '/';
      script.push(baseScript(stage));
    } else if (name === 'WORKDIR') {
      image.folder = text;
      script.push(`mkdir -p ${root}${text}`);
    } else if (name === 'COPY') script.push(copyScript(text, `${root}${image.folder}`));
    else if (name === 'RUN') script.push(runScript(text, root, image.folder));
    else if (name === 'USER') image.user = text;
    else if (name === 'ENV') {
      for (const [, key = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g))
        image.environment[key] = value;
    } else if (name === 'ENTRYPOINT' || name === 'CMD')
      command = [...command, ...(JSON.parse(text) as string[])];
    else if (name !== 'EXPOSE') throw new Error(`The instruction ${name} is unknown`);
  }
  return { ...image, command, build: script.join('\n') };
}

function instructions(): Instruction[] {
  const text = readFileSync(join(ROOT, 'deploy/Containerfile'), 'utf8');
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', '')
    .split('\n');
  return lines.flatMap((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    return name === '' ? [] : [{ name, text: rest }];
  });
}

/** Copies what deploy/Containerfile.dockerignore lets through. */
function contextScript(): string {
  const text = readFileSync(join(ROOT, 'deploy/Containerfile.dockerignore'), 'utf8');
  const paths = [...text.matchAll(/^!(.+)$/gm)].map(([, path = '']) => quoted(path));
  const excluded = [...text.matchAll(/^\*\*\/(.+)$/gm)].map(
    ([, name = '']) => `--exclude=${quoted(name)}`,
  );
  if (text.split('\n')[0] !== '**') throw new Error('Everything must be excluded first');
  return `mkdir "$T/context"
tar -C "$SOURCE" -c ${excluded.join(' ')} ${paths.join(' ')} | tar -C "$T/context" -x`;
}

/** What `node:24-bookworm-slim` has, as far as the image needs it. */
function baseScript(stage: string): string {
  return `new_root ${stage}
chroot "$T/${stage}/root" useradd --uid 1000 --non-unique --create-home node`;
}

/** A folder is copied by its content, a file to its name or, before a slash, into the folder. */
function copyScript(text: string, folder: string): string {
  const [, stage, paths = ''] = /^(?:--from=(\w+) )?(.+)$/.exec(text) ?? [];
  const words = paths.split(' ');
  const target = words.pop() ?? '';
  const from = stage === undefined ? '"$T/context"/' : `"$T/${stage}/root"`;
  return words
    .map((source) => {
      const to = `${folder}/${target}`;
      return `if [ -d ${from}${source} ]; then mkdir -p ${to}; cp -a ${from}${source}/. ${to}
else mkdir -p "$(dirname ${to}x)"; cp -a ${from}${source} ${to}; fi`;
    })
    .join('\n');
}

/** `npm ci` comes first in its line, and needs a registry. */
function runScript(text: string, root: string, folder: string): string {
  const rest = text.replace(/^npm ci [^&]*/, 'true ');
  const install = rest === text ? '' : `${installScript(`${root}${folder}`)}\n`;
  return `${install}chroot ${root} env -i -C ${folder} PATH="$PATH" sh -c ${quoted(rest)} >&2`;
}

/** Copies the libraries that the server needs, links our own packages, and leaves the mark of a whole installation. */
function installScript(folder: string): string {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<
      Record<
        string,
        { readonly dev?: boolean; readonly link?: boolean; readonly resolved?: string }
      >
    >;
  };
  const installed = Object.entries(lock.packages).filter(
    ([path, { dev }]) => path.includes('node_modules/') && dev !== true,
  );
  const links = installed.flatMap(([path, { link, resolved = '' }]) => {
    const up = '../'.repeat(path.split('/').length - 1);
    return link === true ? [`ln -s ${up}${resolved} ${folder}/${path}`] : [];
  });
  const libraries = installed.filter(
    ([path, { link }]) => link !== true && !path.includes('/node-linux-'),
  );
  return `mkdir -p ${folder}/node_modules/@coffer
cd "$SOURCE"; ls -d ${libraries.map(([path]) => quoted(path)).join(' ')} 2>"$T/not-for-this-machine" | tar -c --files-from=- | tar -C ${folder} -x; cd /
${links.join('\n')}
touch ${folder}/node_modules/.package-lock.json`;
}
