import type { TObject } from 'typebox';
import { asJson, type SchemaJson } from '../schema.ts';

type Check = (value: unknown) => boolean;

const plainObject = ['type', 'required', 'properties', 'additionalProperties'];
const plainValue = ['type', 'description', 'minimum', 'maximum', 'enum', 'default'];

/**
 * Returns a function that sets the defaults of parameters, and returns whether they are valid without doubt: integers
 * in bounds, booleans, words of a list and texts without a form. Where it returns false, the validator decides.
 *
 * Most requests have no other parameters. So they do not need their validator, which takes 10 ms to load and compile.
 */
export function plainCheck(schema: TObject): (values: Record<string, unknown>) => boolean {
  const { properties = {}, required = [] } = asJson(schema);
  const entries = Object.entries(properties);
  const defaults = entries
    .map(([name, property]) => [name, property.default] as const)
    .filter(([, value]) => value !== undefined);
  if (!hasOnly(schema, plainObject) || defaults.some(([, value]) => typeof value === 'object'))
    return () => false;
  const checks = new Map(entries.map(([name, property]) => [name, checkOf(property)]));
  return (values) => {
    for (const [name, value] of defaults) values[name] ??= value;
    for (const name in values) if (checks.get(name)?.(values[name]) !== true) return false;
    return required.every((name) => name in values);
  };
}

function checkOf(property: SchemaJson): Check | undefined {
  if (!hasOnly(property, plainValue)) return undefined;
  const { type, minimum = -Infinity, maximum = Infinity, enum: words } = property;
  const fits: Check = (value) => words === undefined || words.includes(value as string);
  if (type === 'integer')
    return (value) =>
      Number.isInteger(value) &&
      minimum <= Number(value) &&
      Number(value) <= maximum &&
      fits(value);
  if (type !== 'string' && type !== 'boolean') return undefined;
  return (value) => typeof value === type && fits(value);
}

function hasOnly(schema: object, keys: readonly string[]): boolean {
  return Object.keys(schema).every((key) => keys.includes(key));
}
