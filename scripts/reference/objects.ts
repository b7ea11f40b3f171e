import { currencies } from '../../packages/server/src/wire/currencies.ts';
import { anchor, code, wrap } from './markdown.ts';
import { componentsOf } from '../../packages/server/src/wire/document/interface.ts';
import type { Interface } from '../../packages/server/src/wire/document/openapi.ts';
import { factBlocks, factsOf, type Fact } from './facts.ts';
import { asJson } from '../../packages/server/src/wire/schema-json.ts';
import type { Link } from './type-words.ts';

type Components = Interface['components'];

/** Returns the tags whose operations use each component, directly or inside another. */
export function tagsOfComponents({ operations, components }: Interface): Map<string, Set<string>> {
  const tags = new Map(Object.keys(components).map((name) => [name, new Set<string>()]));
  for (const operation of operations)
    for (const name of componentsOf(operation, components))
      tags.get(name)?.add(operation.declaration.tag);
  return tags;
}

/** Returns the blocks of some components, each under its own heading. Later ones refer to earlier ones like them. */
export function objectBlocks(
  names: readonly string[],
  components: Components,
  link: Link,
): string[] {
  const facts = new Map<string, Fact[]>();
  return names.flatMap((name) => {
    const schema = asJson(components[name]!);
    const own = factsOf(schema, link, 'optional');
    const [like, base = []] = [...facts].find(([, earlier]) => isLike(own, earlier)) ?? [];
    facts.set(name, own);
    const head = [`### ${name}`, wrap(schema.description ?? '')];
    if (name === 'Currency') return [...head, currencyText()];
    if (like === undefined) return [...head, ...factBlocks('Key', own)];
    return [...head, wrap(likeText(like, own, base)), ...factBlocks('Key', unlike(own, base))];
  });
}

const fewestEqual = 4;

/** Whether an object has so many keys of an earlier one that it can show only the differences. */
function isLike(own: readonly Fact[], base: readonly Fact[]): boolean {
  const equal = own.length - unlike(own, base).length;
  return equal >= Math.max(fewestEqual, base.length / 2);
}

function unlike(own: readonly Fact[], base: readonly Fact[]): Fact[] {
  const known = new Set(base.map((fact) => JSON.stringify(fact)));
  return own.filter((fact) => !known.has(JSON.stringify(fact)));
}

function likeText(like: string, own: readonly Fact[], base: readonly Fact[]): string {
  const names = new Set(own.map(({ name }) => name));
  const missing = base.filter(({ name }) => !names.has(name)).map(({ name }) => code(name));
  const without = missing.length === 0 ? '' : ` without ${missing.join(' and ')}`;
  const differences = unlike(own, base).length === 0 ? '.' : '. These differ or are new:';
  return `The keys of [${like}](#${anchor(like)})${without}${differences}`;
}

function currencyText(): string {
  const codes = Object.entries(currencies).map(
    ([currency, digits]) => `${code(currency)} ${digits}`,
  );
  return wrap(`Each code with the decimals of its smallest unit: ${codes.join(', ')}.`);
}
