import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readCommands } from '../../packages/cli/src/testing/help.ts';
import { settings } from '../../packages/server/src/settings.ts';
import { readTextFiles, ROOT } from '../house/tracked-files.ts';

/** Where people read what to type. The reference has tests of its own. */
const GUIDES = /^(README\.md|docs\/(guide|operate)\/[^/]+\.md)$/;
const PAGES = [
  '/',
  '/docs',
  '/start#…',
  '/openapi.json',
  '/v1/openapi.json',
  '/coffer/openapi.json',
  '/healthz',
  '/readyz',
  '/metrics',
];
/** Not paths to ask for, but what paths begin with. */
const BEGINNINGS = ['/v1/', '/v1', '/v2/', '/v2', '/coffer/'];
/** Variables that the examples themselves set. */
const OWN_VARIABLES = ['LUNCH_MONEY_API_KEY', 'NODE_OPTIONS', 'BASE_URL', 'TOKEN', 'COFFER_TOKEN'];
const COFFER = ['coffer', 'node_modules/.bin/coffer', '/opt/coffer/bin/coffer'];

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
}

interface Document {
  readonly paths: Readonly<
    Record<string, Record<string, { readonly parameters?: readonly Parameter[] }>>
  >;
  readonly components: { readonly parameters?: Readonly<Record<string, Parameter>> };
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
/** What can be typed: flags by command ("token create", "" for the program), scripts of npm. */
const known = {
  commands: await readCommands(),
  scripts: Object.keys((readJson('package.json') as { scripts: object }).scripts),
  documents: ['docs/openapi.json', 'docs/openapi-v1.json', 'docs/coffer-openapi.json'].map(
    (path) => readJson(path) as Document,
  ),
};

const FENCE = /^```(\w*)\n([^]*?)^```/gm;
const shellOf = (text: string): string[] =>
  [...text.matchAll(FENCE)].flatMap(([, language, code = '']) => (language === 'sh' ? [code] : []));
const inlineOf = (text: string): string[] =>
  [...text.replace(FENCE, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
const codeOf = (text: string): string[] => {
  return [...[...text.matchAll(FENCE)].map(([, , code = '']) => code), ...inlineOf(text)];
};

/** The words of every command of a shell text, quoted ones as one word. */
function commandsOf(shell: string): string[][] {
  const lines = shell
    .replaceAll('\\\n', ' ')
    .replaceAll(/\s#.*$/gm, '')
    .split('\n');
  return lines
    .flatMap((line) => line.split(/ \| | && |\$\(|\)$/))
    .map((part) => part.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [])
    .filter((words) => words.length > 0);
}

function commandFaults(words: readonly string[]): string[] {
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const variables = (first === -1 ? words : words.slice(0, first)).map(
    (word) => word.split('=')[0],
  );
  const faults = variables
    .filter((name = '') => !isVariable(name))
    .map((name) => `setting ${name}`);
  const called = first === -1 ? [] : words.slice(first);
  // `runuser -u USER -- PROGRAM`
  const [program = '', ...rest] = called[0] === 'runuser' ? called.slice(4) : called;
  if (program === 'npx' && rest[0] === 'coffer') faults.push(...cofferFaults(rest.slice(1)));
  if (COFFER.includes(program)) faults.push(...cofferFaults(rest));
  if (program === 'npm') faults.push(...npmFaults(rest));
  return faults;
}

function isVariable(name: string): boolean {
  const variables: readonly string[] = Object.values(settings).map(({ variable }) => variable);
  return variables.includes(name) || OWN_VARIABLES.includes(name);
}

function cofferFaults(words: readonly string[]): string[] {
  const names = [words.slice(0, 2).join(' '), words[0] ?? '', ''];
  const name = names.find((each) => known.commands.has(each)) ?? '';
  const said = words[name.split(' ').length - 1];
  if (name === '' && said !== undefined && !said.startsWith('-')) return [`command ${said}`];
  // A command that only holds others is complete as a name, and in no other way.
  if ([...known.commands.keys()].some((each) => each.startsWith(`${name} `)) && words.length > 1) {
    return [`command ${words.join(' ')}`];
  }
  return flagFaults(words, known.commands.get(name) ?? []);
}

function flagFaults(words: readonly string[], flags: readonly string[]): string[] {
  const given = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]);
  return given.filter((flag = '') => !flags.includes(flag)).map((flag) => `flag ${flag}`);
}

function npmFaults([verb = '', ...rest]: readonly string[]): string[] {
  const behind = rest.slice(rest.indexOf('--') + 1);
  if (verb === 'start') return rest[0] === '--' ? cofferFaults(['serve', ...behind]) : [];
  const script = verb === 'run' ? rest[0] : verb;
  if (['ci', 'install'].includes(verb) || known.scripts.includes(script ?? '')) return [];
  return [`script ${script}`];
}

/** Flags and settings that are named in passing. */
function nameFaults(code: string): string[] {
  if (/^(npx|npm|coffer)\b/.test(code)) return commandsOf(code).flatMap(commandFaults);
  if (/^--[a-z]/.test(code))
    return flagFaults(code.split(' '), [...known.commands.values()].flat());
  return /^[A-Z][A-Z_]{2,}$/.test(code) && !isVariable(code) ? [`setting ${code}`] : [];
}

const LOCAL_URL = /https?:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?(\/[^\s"'`]*)?/g;
const API_PATH = /(?<![\w.])(?:([A-Z]+) )?(\/(?:v\d|coffer\/|docs\b|openapi)[^\s"'`|]*)/g;

function targetFaults(code: string): string[] {
  const ofUrls = code.split(/\n(?<!\\\n)/).flatMap((command) =>
    [...command.matchAll(LOCAL_URL)].map(([, target = '/']) => ({
      // As curl chooses it.
      method: /\s-X (\w+)/.exec(command)?.[1] ?? (/\s-(?:F|d) /.test(command) ? 'POST' : 'GET'),
      target,
    })),
  );
  const ofPaths = [...code.matchAll(API_PATH)].map(([, method = 'GET', target = '']) => ({
    method,
    target,
  }));
  return [...ofUrls, ...ofPaths].flatMap(({ method, target }) => targetFault(method, target));
}

function targetFault(method: string, target: string): string[] {
  const [path = '', query = ''] = target.split('?');
  if ([...PAGES, ...BEGINNINGS].includes(path)) return query === '' ? [] : [`query of ${path}`];
  const operation = known.documents
    .flatMap(({ paths }) => Object.entries(paths))
    .filter(([template]) => matches(template, path))
    .map(([, operations]) => operations[method.toLowerCase()])
    .find((each) => each !== undefined);
  if (operation === undefined) return [`path ${method} ${path}`];
  const parameters = (operation.parameters ?? []).map(resolve);
  const names = query.split('&').map((pair) => pair.split('=')[0] ?? '');
  const taken = parameters.flatMap((one) => (one.in === 'query' ? [one.name] : []));
  return names.flatMap((name) => (['', ...taken].includes(name) ? [] : [`parameter ${name}`]));
}

function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`).test(path);
}

function resolve(parameter: Parameter): Parameter {
  const name = parameter.$ref?.split('/').at(-1) ?? '';
  const [found] = known.documents.flatMap(({ components }) => components.parameters?.[name] ?? []);
  return found ?? parameter;
}

function faultsOf(text: string): string[] {
  return [
    ...shellOf(text).flatMap(commandsOf).flatMap(commandFaults),
    ...inlineOf(text).flatMap(nameFaults),
    ...codeOf(text).flatMap(targetFaults),
  ];
}

describe('what the guides show to type', () => {
  const shell = (line: string): string => `Type:\n\n\`\`\`sh\n${line}\n\`\`\`\n`;
  const curl = (target: string): string => shell(`curl "http://127.0.0.1:8080${target}"`);

  const wrong: [text: string, fault: string][] = [
    [shell('npx coffer improt may.csv'), 'command improt'],
    [shell('npx coffer token mint --email a@b'), 'command token mint --email a@b'],
    [shell('npx coffer import may.csv --acount Cash'), 'flag --acount'],
    [shell('TOKEN=$(npx coffer demo --sead 1)'), 'flag --sead'],
    [shell('cat a | node_modules/.bin/coffer doctor --mend'), 'flag --mend'],
    [shell('runuser -u coffer -- coffer backup --fast'), 'flag --fast'],
    [shell('/opt/coffer/bin/coffer stop'), 'command stop'],
    [shell('npm start -- --repair'), 'flag --repair'],
    [shell('npm run benchmark'), 'script benchmark'],
    [shell('DATABASE=sqlite:./a.db npx coffer serve'), 'setting DATABASE'],
    ['Set `DATABASE_FILE`.', 'setting DATABASE_FILE'],
    ['Give `--colour`.', 'flag --colour'],
    ['Use `coffer tokens list`.', 'command tokens'],
    [curl('/v2/transaction'), 'path GET /v2/transaction'],
    [curl('/v2/transactions?limit=5&ofset=5'), 'parameter ofset'],
    [curl('/docs?limit=1'), 'query of /docs'],
    ['Ask `DELETE /v2/me`.', 'path DELETE /v2/me'],
    ["```js\nget('/v3/me');\n```\n", 'path GET /v3/me'],
    [shell('curl -d a \\\n  http://127.0.0.1:8080/v2/me'), 'path POST /v2/me'],
  ];
  for (const [text, fault] of wrong)
    test(`${fault} is found`, () => assert.deepEqual(faultsOf(text), [fault]));

  test('what exists is left alone', () => {
    const right = [
      shell('npx coffer token create --email a@b --expires 90d | head -n 1'),
      shell('PORT=0 coffer serve --rate-limit=5/10s   # --no-such-flag'),
      shell('npm start -- --demo && npm test -- --anything'),
      shell("npx coffer import a.csv --email a@b --map 'date=1,payee=--x'"),
      curl('/v2/transactions/17'),
      curl('/v2/transactions?limit=5&category_id=0'),
      curl('/docs'),
      curl(''),
      'Use `coffer token` or `coffer import`, `GET /v2/me` below `/v2/`, `POST /v2/crypto/synced/1/refresh`, `PORT`, `--json`, `OK`.',
      '```js\nget(`/v2/transactions?limit=${limit}&offset=${offset}${filter}`);\n```\n',
    ];
    assert.deepEqual(right.flatMap(faultsOf), []);
  });

  const guides = readTextFiles().filter(({ path }) => GUIDES.test(path));
  const skip = guides.length === 0 && 'this is not a git clone';

  test('every command, flag, setting, path and parameter of the guides exists', { skip }, () => {
    const faults = guides.flatMap(({ path, text }) =>
      faultsOf(text).map((what) => `${path}: ${what}`),
    );
    assert.deepEqual(faults, []);
  });

  test('the guides are read, and so are the help and the document', { skip }, () => {
    const commands = guides.flatMap(({ text }) => shellOf(text).flatMap(commandsOf));
    assert.ok(guides.length >= 10 && commands.length > 50);
    assert.ok(known.commands.size > 10);
    for (const { paths } of known.documents) assert.ok(Object.keys(paths).length >= 5);
  });
});
