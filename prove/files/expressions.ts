import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');
const tests = /(?:\.test|-contract|-model)\.ts$|\/testing\//;

export interface Expression {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** Returns all regular expressions of the program: literals, those that modules construct, and document patterns. */
export async function collectExpressions(): Promise<Expression[]> {
  const files = readdirSync(join(root, 'packages'))
    .flatMap((name) => sourcesOf(join(root, 'packages', name, 'src')))
    .toSorted();
  const found: Expression[] = [];
  for (const file of files) found.push(...(await expressionsOf(file)));
  return [...found, ...documentPatterns()];
}

function sourcesOf(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((file) => /\.tsx?$/.test(file) && !tests.test(file));
  } catch {
    return [];
  }
}

async function expressionsOf(file: string): Promise<Expression[]> {
  const text = readFileSync(file, 'utf8');
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const literals: Expression[] = [];
  const constructed = new Set<number>();
  const visit = (node: ts.Node): void => {
    const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (ts.isRegularExpressionLiteral(node)) literals.push(literal(node.text, placeOf(file, line)));
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isCall && node.expression.getText() === 'RegExp') constructed.add(line);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return [...literals, ...(await constructedIn(file, constructed))];
}

function literal(text: string, place: string): Expression {
  const end = text.lastIndexOf('/');
  return { place, source: text.slice(1, end), flags: text.slice(end + 1) };
}

/** Expressions that the server builds from the paths of the document when it starts, with an example. */
const madeLater: ReadonlyMap<string, string> = new Map([
  ['packages/server/src/http/routing.ts', '^/v2/transactions/[^/]+/attachments/[^/]+$'],
]);

/** Loads a module again and records the expressions that it constructs. */
async function constructedIn(file: string, lines: ReadonlySet<number>): Promise<Expression[]> {
  if (lines.size === 0) return [];
  const name = relative(root, file);
  const sample = madeLater.get(name);
  if (sample !== undefined) return [{ place: `${name} (sample)`, source: sample, flags: '' }];
  const made = await recorded(file);
  const silent = [...lines].filter(
    (line) => !made.some(({ place }) => place === placeOf(file, line)),
  );
  if (silent.length === 0) return made;
  throw new Error(
    `${name} constructs expressions that cannot be recorded, on lines ${silent.join()}`,
  );
}

async function recorded(file: string): Promise<Expression[]> {
  const made: Expression[] = [];
  const Original = globalThis.RegExp;
  const url = `${pathToFileURL(file).href}?constructed`;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, [source, flags]: [string, string | undefined]) {
      const line = new Error().stack?.split(`${url}:`)[1]?.split(':')[0];
      if (line !== undefined) {
        made.push({ place: placeOf(file, Number(line)), source, flags: flags ?? '' });
      }
      return new target(source, flags);
    },
  });
  try {
    await import(url);
  } finally {
    globalThis.RegExp = Original;
  }
  return made;
}

function documentPatterns(): Expression[] {
  const name = 'docs/openapi.json';
  const patterns = new Set<string>();
  JSON.parse(readFileSync(join(root, name), 'utf8'), (key, value: unknown) => {
    if (key === 'pattern' && typeof value === 'string') patterns.add(value);
    return value;
  });
  return [...patterns].map((source) => ({ place: name, source, flags: 'u' }));
}

function placeOf(file: string, line: number): string {
  return `${relative(root, file)}:${line}`;
}
