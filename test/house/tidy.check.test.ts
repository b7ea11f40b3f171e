import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { readTextFiles, type TextFile } from './tracked-files.ts';

/** A rule of the project with files that break it, one violation each, and files that keep it. */
interface Rule {
  name: string;
  appliesTo: RegExp;
  /** Returns a line for each problem of the file. */
  check: (file: TextFile) => string[];
  broken: TextFile[];
  kept: TextFile[];
}

/** Source files, except those that a tool generates from the API document. */
const SOURCE = /(?<!\/openapi-(?:types|methods))\.(cjs|js|tsx?)$/;
const PUBLIC = /^packages\/[^/]+\/src\/.*(?<!\.test|-contract|-model|\/testing\/[^/]+)\.tsx?$/;
const MAX_LINES = 500;
/** Prettier formats code to 100 columns; comments and SQL may be a little wider. */
const MAX_COLUMNS = 120;

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** Returns the numbers of the lines that match the pattern. */
function linesWith(pattern: RegExp, text: string): string[] {
  return linesOf(text).flatMap((line, n) => (pattern.test(line) ? [`line ${n + 1}`] : []));
}

function file(path: string, text: string): TextFile {
  return { path, text };
}

const length: Rule = {
  name: 'a source file has at most 500 lines',
  appliesTo: SOURCE,
  check: ({ text }) => {
    const count = linesOf(text).length;
    return count > MAX_LINES ? [`${count} lines`] : [];
  },
  broken: [file('a.ts', 'a;\n'.repeat(501))],
  kept: [file('a.ts', 'a;\n'.repeat(500))],
};

// URLs, imports, and texts for people, which stay in one line so that a search finds them.
const EXEMPT_LINE =
  /https?:\/\/|`Coffer keeps|^\s*(import|export) .*from |^\} from |(['"`]).{60,}\2/;
const width: Rule = {
  name: 'a line has at most 120 columns',
  appliesTo: SOURCE,
  check: ({ text }) =>
    linesOf(text).flatMap((line, n) => {
      const columns = Array.from(line).length;
      const isProse = /^(- |[A-Z][^;{]*$)/.test(line);
      return columns > MAX_COLUMNS && !isProse && !EXEMPT_LINE.test(line)
        ? [`line ${n + 1}: ${columns}`]
        : [];
    }),
  broken: [file('a.ts', `// ${'a'.repeat(118)}`), file('a.ts', `${'f('.repeat(60)}'a');`)],
  kept: [
    file('a.ts', `// ${'é'.repeat(97)}`),
    file('a.ts', `// https://example.org/${'a'.repeat(98)}`),
    file('a.ts', `import { a } from './${'a'.repeat(98)}.ts';`),
    file('a.ts', `  description: '${'a '.repeat(49)}',`),
  ],
};

const proseWidth: Rule = {
  name: 'a line of a document has at most 120 columns, tables and code aside',
  appliesTo: /\.md$/,
  check: ({ text }) => {
    const isCode = codeLines(text);
    return linesOf(text).flatMap((line, n) => {
      const columns = Array.from(line).length;
      const isExempt =
        isCode[n] === true || /^\s*\|/.test(line) || /\]\([^)]*\)|https?:/.test(line);
      return columns > MAX_COLUMNS && !isExempt ? [`line ${n + 1}: ${columns}`] : [];
    });
  },
  broken: [file('a.md', `${'word '.repeat(24)}a`), file('a.md', `- ${'é'.repeat(119)}`)],
  kept: [
    file('a.md', `| ${'a'.repeat(130)} |`),
    file('a.md', `\`\`\`text\n${'a'.repeat(130)}\n\`\`\`\n${'a'.repeat(120)}`),
    file('a.md', `See [this](https://example.org/${'a'.repeat(98)})`),
  ],
};

function codeLines(text: string): boolean[] {
  let isCode = false;
  return linesOf(text).map((line) => {
    const isFence = /^ *```/.test(line);
    if (isFence) isCode = !isCode;
    return isCode || isFence;
  });
}

const names: Rule = {
  name: 'a file name describes its content',
  appliesTo: /./,
  check: ({ path }) =>
    /(^|[/.-])(utils?|helpers?|common|managers?|misc)([/.-]|$)/i.test(path) ? [path] : [],
  broken: [file('a/utils.ts', ''), file('date-helper.ts', ''), file('common/a.ts', '')],
  kept: [file('utility-bill.ts', ''), file('commons.ts', '')],
};

// Joined from parts so that the rule does not match this file.
const UNFINISHED = new RegExp(`\\b(${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')})\\b`);
const finished: Rule = {
  name: 'no comment describes unfinished work',
  appliesTo: /./,
  check: ({ text }) => linesWith(UNFINISHED, text),
  broken: [file('a.ts', `// ${['TO', 'DO'].join('')}: later`)],
  kept: [file('a.ts', '// todo lists are a table')],
};

const MACHINE_PATH = new RegExp(`(?<![\\w.~-])/(${['work', 'root', 'home', 'Users'].join('|')})/`);
const placeless: Rule = {
  name: 'no file contains a path of one machine',
  appliesTo: /./,
  check: ({ text }) => linesWith(MACHINE_PATH, text),
  broken: ['work', 'root', 'home'].map((name) => file('a.md', `See \`/${name}/x\``)),
  kept: [file('a.md', 'See docs/work/x and ./home/x')],
};

const secretless: Rule = {
  name: 'no file contains an access token',
  appliesTo: /./,
  check: ({ text }) => linesWith(/coffer_[A-Za-z0-9]{20,}/, text),
  broken: [file('a.md', `Bearer coffer_${'a1'.repeat(10)}`)],
  kept: [file('a.md', 'Bearer coffer_…'), file('a.md', 'coffer_')],
};

function isExported(statement: ts.Statement): boolean {
  if (!ts.canHaveModifiers(statement)) return false;
  const modifiers = ts.getModifiers(statement) ?? [];
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

/** Returns the name of an exported function, class or interface, which needs a docstring. */
function publicName(statement: ts.Statement): string | undefined {
  const kinds = [ts.isFunctionDeclaration, ts.isClassDeclaration, ts.isInterfaceDeclaration];
  if (kinds.some((is) => is(statement))) return (statement as ts.ClassDeclaration).name?.text;
  if (!ts.isVariableStatement(statement)) return undefined;
  const [declaration] = statement.declarationList.declarations;
  const value = declaration?.initializer;
  return value && ts.isArrowFunction(value) ? declaration.name.getText() : undefined;
}

/** A docstring for each member is enough for an interface. */
function isDocumented(node: ts.Node): boolean {
  if (ts.getJSDocCommentsAndTags(node).length > 0) return true;
  return ts.isInterfaceDeclaration(node) && node.members.every(isDocumented);
}

function undocumented({ path, text }: TextFile): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const documented = new Set<string>();
  return source.statements.filter(isExported).flatMap((statement) => {
    const name = publicName(statement);
    if (name === undefined || documented.has(name)) return [];
    // One docstring is enough for all the overloads of a function.
    documented.add(name);
    return isDocumented(statement) ? [] : [name];
  });
}

const docstrings: Rule = {
  name: 'exported functions, classes and interfaces have a docstring',
  appliesTo: PUBLIC,
  check: undocumented,
  broken: [
    file('packages/a/src/a.ts', '// why\nexport function f(): void {}'),
    file('packages/a/src/a.ts', 'export class C {}'),
    file('packages/a/src/a.ts', 'export interface I { /** Metres. */ x: 1; y: 1 }'),
    file('packages/a/src/a.ts', 'export const f = () => 1;'),
  ],
  kept: [
    file('packages/a/src/a.ts', '/** Does it. */\nexport function f(): void {}\nfunction g() {}'),
    file('packages/a/src/a.ts', '/** Does it. */\nexport const f = () => 1; export const n = 1;'),
    file(
      'packages/a/src/a.ts',
      'export interface I {\n /** Metres. */ x: 1;\n /** Metres. */ y: 1 }',
    ),
    file('packages/a/src/a.test.ts', 'export function f(): void {}'),
    file('scripts/a.ts', 'export function f(): void {}'),
  ],
};

const guarded: Rule = {
  name: 'requests to other servers are sent by guarded-request.ts, and by the store of files',
  appliesTo:
    /^packages\/(server|cli)\/src\/(?!outside\/guarded-request\.ts|files\/s3\.ts)(?!.*(\.test\.ts|\/testing\/))/,
  check: ({ text }) =>
    linesWith(
      /(?<![#.\w])(fetch|https?\.(request|get)|(net|tls)\.connect|createConnection)\(/,
      text,
    ),
  broken: [
    file('packages/server/src/a.ts', 'await fetch(url);'),
    file('packages/cli/src/a.ts', 'http.request(url, options)'),
    file('packages/server/src/a.ts', 'tls.connect(443)'),
  ],
  kept: [
    file('packages/server/src/outside/guarded-request.ts', 'http.request(url)'),
    file('packages/server/src/a.ts', 'boundedFetch({ url }); this.#fetch(url); client.request(a)'),
    file('packages/server/src/a.test.ts', 'fetch(url)'),
    file('packages/client/src/a.ts', 'fetch(url)'),
  ],
};

/**
 * A bundle gives what is loaded late only the default of a CommonJS package, unlike Node, which finds its names too.
 */
const byDefault: Rule = {
  name: 'a package of CommonJS is loaded late by its default',
  appliesTo: /^packages\/(server|cli|core|statements)\/src\/.*(?<!\.test)\.ts$/,
  check: ({ text }) =>
    [...text.matchAll(/\{([^{}]*)\} = await import\('(?!\.|node:|@coffer\/)([^']+)'\)/g)].flatMap(
      ([, names = '', name = '']) =>
        /^\s*default:/.test(names) || isModule(name) ? [] : [`${name}: ${names.trim()}`],
    ),
  broken: [file('packages/server/src/a.ts', "const { Dicer } = await import('@fastify/busboy');")],
  kept: [
    file('packages/server/src/a.ts', "const { default: one } = await import('@fastify/busboy');"),
    file('packages/cli/src/a.ts', "const { text } = await import('@clack/prompts');"),
    file('packages/cli/src/a.ts', "const { run } = await import('./run.ts');"),
  ],
};

function isModule(name: string): boolean {
  const path = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { type?: string }).type === 'module';
}

const rules = [
  byDefault,
  length,
  width,
  proseWidth,
  names,
  finished,
  placeless,
  secretless,
  docstrings,
  guarded,
];

function violations(rule: Rule, files: TextFile[]): string[] {
  const concerned = files.filter(({ path }) => rule.appliesTo.test(path));
  return concerned.flatMap((one) => rule.check(one).map((what) => `${one.path}: ${what}`));
}

const files = readTextFiles();
const skip = files.length === 0 && 'this is not a git clone';

for (const rule of rules) {
  describe(rule.name, () => {
    test('a planted violation is found, and files that keep the rule are accepted', () => {
      for (const planted of rule.broken)
        assert.equal(violations(rule, [planted]).length, 1, JSON.stringify(planted));
      assert.deepEqual(violations(rule, rule.kept), []);
    });

    test('the tree keeps it', { skip }, () => {
      assert.deepEqual(violations(rule, files), []);
    });
  });
}

test('the tree is read', { skip }, () => {
  assert.ok(files.some(({ path }) => path === 'package.json'));
  assert.ok(files.filter(({ path }) => SOURCE.test(path)).length > 20);
});
