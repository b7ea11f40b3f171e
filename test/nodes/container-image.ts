import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../house/tracked-files.ts';
import { quoted } from './temporary-root.ts';

/** A line of a Containerfile, continued lines joined. */
interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** What a container is started with. */
export interface Image {
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
export function readImage(): Image {
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
