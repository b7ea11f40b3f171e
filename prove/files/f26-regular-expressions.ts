import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { acceptedMs, type Check } from '../run/check.ts';
import { loadTool } from '../tools/load.ts';

interface Recheck {
  check(source: string, flags: string, options: { readonly timeout: number }): Promise<Finding>;
}
type Finding =
  | { readonly status: 'safe' }
  | { readonly status: 'vulnerable'; readonly complexity: { readonly summary: string } }
  | { readonly status: 'unknown'; readonly error: { readonly kind: string } };

const textLength = 100_000;
const longestMs = 20;
const tries = 3;
const recheckTimeoutMs = 20_000;
/** The program has more than a hundred; far fewer would mean that the search failed. */
const fewestExpressions = 80;

/** The hashes of the expressions that recheck found safe in the last full form, which writes them. */
const safeFile = join(import.meta.dirname, 'safe-expressions.json');

/** Tests all regular expressions for catastrophic backtracking. The short form asks recheck only about new ones. */
export const check: Check = {
  id: 'F26',
  rounds: { short: 6, full: 300 },
  run: async (rounds) => {
    const expressions = distinct(await collectExpressions());
    const isFull = rounds >= check.rounds.full;
    const mostMs = acceptedMs(longestMs, check, rounds);
    const safe = new Set(isFull ? [] : readSafe());
    const vulnerable = await vulnerableAmong(expressions.filter((one) => !safe.has(hashOf(one))));
    if (isFull) writeSafe(expressions.filter((one) => !vulnerable.has(one)));
    const problems = [...vulnerable.values()];
    const known = expressions.length;
    if (known < fewestExpressions) problems.push(`only ${known} expressions were found`);
    let texts = 0;
    let slowestMs = 0;
    // A vulnerable expression may never end.
    for (const expression of expressions.filter((one) => !vulnerable.has(one))) {
      const slow = slowest(expression, rounds, mostMs);
      texts += slow.texts;
      slowestMs = Math.max(slowestMs, slow.ms);
      if (slow.ms > mostMs) problems.push(`${nameOf(expression)} takes ${slow.ms.toFixed(1)} ms`);
    }
    const figure = `${known} expressions, ${vulnerable.size} vulnerable; slowest of ${texts} texts ${slowestMs.toFixed(1)} ms`;
    return { figure, problems };
  },
};

function distinct(expressions: readonly Expression[]): Expression[] {
  return [...new Map(expressions.map((one) => [`/${one.source}/${one.flags}`, one])).values()];
}

function hashOf({ source, flags }: Expression): string {
  return createHash('sha256').update(`/${source}/${flags}`).digest('hex').slice(0, 16);
}

function readSafe(): string[] {
  return JSON.parse(readFileSync(safeFile, 'utf8')) as string[];
}

function writeSafe(expressions: readonly Expression[]): void {
  writeFileSync(safeFile, `${JSON.stringify(expressions.map(hashOf).toSorted(), null, 2)}\n`);
}

async function vulnerableAmong(expressions: readonly Expression[]) {
  const vulnerable = new Map<Expression, string>();
  if (expressions.length === 0) return vulnerable;
  const recheck = await loadTool<Recheck>('recheck');
  for (const expression of expressions) {
    const fault = await faultOf(recheck, expression);
    if (fault !== null) vulnerable.set(expression, fault);
  }
  return vulnerable;
}

async function faultOf(recheck: Recheck, expression: Expression): Promise<string | null> {
  const { source, flags } = expression;
  const found = await recheck.check(source, flags, { timeout: recheckTimeoutMs });
  if (found.status === 'safe') return null;
  const why =
    found.status === 'vulnerable' ? found.complexity.summary : `unknown, ${found.error.kind}`;
  return `${nameOf(expression)} is ${found.status}: ${why}`;
}

function nameOf({ place, source, flags }: Expression): string {
  const shown = source.length > 80 ? `${source.slice(0, 80)}…` : source;
  return `${place} /${shown}/${flags}`;
}

function slowest({ source, flags }: Expression, most: number, mostMs: number) {
  const expression = new RegExp(source, flags);
  let ms = 0;
  let texts = 0;
  for (const text of worstTexts(source, textLength)) {
    if (texts === most) break;
    texts += 1;
    let best = Infinity;
    for (let left = tries; left > 0 && best > mostMs / tries; left -= 1) {
      const startedAtMs = performance.now();
      expression.lastIndex = 0;
      expression.test(text);
      best = Math.min(best, performance.now() - startedAtMs);
    }
    ms = Math.max(ms, best);
  }
  return { ms, texts };
}

const classes: readonly (readonly [sign: string, members: string])[] = [
  ['\\d', '09'],
  ['\\s', ' \t\n'],
  ['\\w', 'aZ_'],
  ['\\p{L}', 'é'],
  ['\\p{Sc}', '€'],
  ['[^', '!'],
  ['.', 'x'],
];
/** Ends that make an almost complete match fail. */
const ends = ['', '\u0000', '\n!'];
const mostCharacters = 16;

/**
 * Yields long texts of the characters of an expression, which are likely to cause backtracking: each character
 * repeated, then pairs, then its literals, with ends that match and ends that do not.
 */
function* worstTexts(source: string, length: number): Generator<string> {
  const alphabet = alphabetOf(source);
  for (const one of alphabet) for (const end of ends) yield one.repeat(length) + end;
  for (const pair of pairs(alphabet)) yield pair.repeat(length / 2) + ends[1]!;
  for (const literal of literalsIn(source)) {
    yield literal.repeat(length / literal.length);
    for (const one of alphabet) yield literal + one.repeat(length) + ends[1]!;
  }
}

function alphabetOf(source: string): string[] {
  const members = classes.flatMap(([sign, of]) => (source.includes(sign) ? Array.from(of) : []));
  const bare = source.replaceAll(/\\[dDsSwWbBpPuxk](?:\{[^}]*\})?|[\\()[\]{}|?*+^$]/g, '');
  const all = new Set([...members, ...Array.from(`${bare}a0 `)]);
  return [...all].slice(0, mostCharacters);
}

function pairs(alphabet: readonly string[]): string[] {
  return alphabet.flatMap((one) => alphabet.filter((two) => two !== one).map((two) => one + two));
}

function literalsIn(source: string): string[] {
  return [...new Set(source.match(/[A-Za-z<>:/%!-]{2,}/g) ?? [])].slice(0, 4);
}

const root = join(import.meta.dirname, '../..');
const tests = /(?:\.test|-contract|-model)\.ts$|\/testing\//;

interface Expression {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** Returns all regular expressions of the program: literals, those that modules construct, and document patterns. */
async function collectExpressions(): Promise<Expression[]> {
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
  ['packages/server/src/http/routes.ts', '^/v2/transactions/[^/]+/attachments/[^/]+$'],
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
