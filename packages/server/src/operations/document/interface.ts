import type { TSchema } from 'typebox';
import { responsesOf, type Described } from '../declaration.ts';
import { resolveResponse } from '../responses.ts';
import { componentName } from '../schema.ts';
import { asJson } from '../schema-json.ts';
import type { SchemaJson } from '../schema-json.ts';
import type { Interface } from './openapi.ts';
import type { About } from './overview.ts';

type Components = Interface['components'];

/**
 * Returns the operations below a prefix, such as `/v2/`, and the components that they use. These are found only when
 * they are needed, because a server that starts does not need them.
 */
export function interfaceOf(
  prefix: string,
  about: About,
  all: readonly Described[],
  components: Components,
): Interface {
  const operations = all.filter(({ declaration }) => declaration.path.startsWith(prefix));
  let own: Components | undefined;
  return {
    about,
    operations,
    get components() {
      own ??= usedBy(operations, components);
      return own;
    },
  };
}

function usedBy(operations: readonly Described[], components: Components): Components {
  const used = new Set(operations.flatMap((each) => [...componentsOf(each, components)]));
  return Object.fromEntries(Object.entries(components).filter(([name]) => used.has(name)));
}

/** Returns the names of the components that an operation uses, directly or inside another. */
function componentsOf(operation: Described, components: Components): Set<string> {
  const { body, params, query } = operation.declaration;
  const responses = Object.values(responsesOf(operation)).map(resolveResponse);
  const found = new Set([
    ...[params, query].flatMap((schema) => partsOf(schema)),
    ...(body === undefined ? [] : [componentName(body)]),
    ...responses.flatMap(({ component, otherComponent }) =>
      [component, otherComponent].filter((name) => name !== undefined),
    ),
  ]);
  for (const name of found) for (const part of partsOf(components[name])) found.add(part);
  return found;
}

function partsOf(schema: TSchema | undefined): string[] {
  return schema === undefined ? [] : referenced(asJson(schema));
}

/** Returns the names of the components that a schema refers to, directly or inside. */
export function referenced(schema: SchemaJson): string[] {
  const pointers = JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  return [...pointers].map(([, name = '']) => name);
}
