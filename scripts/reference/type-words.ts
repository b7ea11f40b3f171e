import type { SchemaJson } from '../../packages/server/src/wire/schema-json.ts';
import { referenced } from '../../packages/server/src/wire/document/interface.ts';
import { code } from './markdown.ts';

/** Returns the Markdown link to a component. */
export type Link = (component: string) => string;

/**
 * Returns the type of a value in a few words of Markdown, such as `integer, 1 to 2000`, `date or null` or
 * "array of [Tag](#tag)".
 */
export function typeWords(schema: SchemaJson, link: Link): string {
  const bounds = boundsWords(schema);
  return kindWords(schema, link) + (bounds === '' ? '' : `, ${bounds}`);
}

function kindWords(schema: SchemaJson, link: Link): string {
  const { $ref, anyOf, items } = schema;
  if ($ref !== undefined) return referenced({ $ref }).map(link).join('');
  if (anyOf !== undefined) return anyOf.map((one) => kindWords(one, link)).join(' or ');
  if (items !== undefined) return `array of ${kindWords(items, link)}`;
  const types = [schema.type ?? 'any'].flat();
  const orNull = types.includes('null') ? ' or null' : '';
  const words = schema.enum?.filter((word) => word !== null).map((word) => code(String(word)));
  if (words !== undefined) return words.join(', ') + orNull;
  const [type = ''] = types;
  return (type === 'string' ? (schema.format ?? type) : type) + orNull;
}

function boundsWords(schema: SchemaJson): string {
  return (
    rangeWords(schema.minimum, schema.maximum, '') ||
    rangeWords(schema.minLength, schema.maxLength, ' characters') ||
    rangeWords(schema.minItems, schema.maxItems, ' items')
  );
}

/** Bounds are inclusive. Those of ids, and those that keep an integer exact, are the same everywhere. */
function rangeWords(least: number | undefined, most: number | undefined, unit: string): string {
  if (most === undefined || most === Number.MAX_SAFE_INTEGER)
    return least === undefined || least === 1 || least < 0 ? '' : `at least ${least}${unit}`;
  return least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`;
}
