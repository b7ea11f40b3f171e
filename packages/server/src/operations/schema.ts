import { formatAmount } from '@coffer/core/money';
import { Type } from 'typebox';
import type { Static, TObject, TProperties, TSchema, TUnsafe } from 'typebox';
import { currencyCodes, type CurrencyCode } from './currencies.ts';
import { maxId, minId } from '@coffer/core/ids';
import { amountDecimals } from './limits.ts';

/** The components of the document by name, and their names: a schema that is one names itself. */
const components = new Map<string, TSchema>();
const names = new WeakMap<object, string>();
const examples = new WeakMap<object, unknown>();

/** Makes a schema a component of the document. Throws if another one has the name. */
export function component<S extends TSchema>(
  name: string,
  schema: S,
  example?: NoInfer<Static<S>>,
): S {
  if (components.has(name)) throw new Error(`Two components have the name ${name}`);
  components.set(name, schema);
  names.set(schema, name);
  if (example !== undefined) examples.set(schema, example);
  return schema;
}

/**
 * Returns the example of a schema: its own one; otherwise made from those of its parts. Throws for a schema that has
 * neither, such as a text.
 */
export function exampleOf<S extends TSchema>(schema: S): Static<S> {
  return (examples.get(schema) ?? derivedExample(schema)) as Static<S>;
}

function derivedExample(schema: SchemaJson): unknown {
  const { $ref, anyOf, items, properties, type, enum: words } = schema;
  if ($ref !== undefined) return exampleOf(componentOf($ref.split('/').at(-1)!));
  if (anyOf !== undefined) return exampleOf(anyOf[0] as TSchema);
  if (items !== undefined) return [exampleOf(items as TSchema)];
  if (words !== undefined) return words[0];
  if (type === 'boolean') return false;
  if (properties === undefined) throw new Error(`No example: ${JSON.stringify(schema)}`);
  const pairs = Object.entries(properties).map(([key, each]) => [key, exampleOf(each as TSchema)]);
  return Object.fromEntries(pairs) as object;
}

/** Returns the name of a component. Throws for a schema that is not one. */
export function componentName(schema: TSchema): string {
  const name = names.get(schema);
  if (name === undefined) throw new Error('Only a named component can be a body');
  return name;
}

/** Returns the component with a name, such as that of a response. Throws if there is none. */
export function componentOf(name: string): TSchema {
  const schema = components.get(name);
  if (schema === undefined) throw new Error(`There is no component ${name}`);
  return schema;
}

/** Returns a reference to a component. */
export function reference<S extends TSchema>(schema: S, description?: string): TUnsafe<Static<S>> {
  return referenceTo(componentName(schema), description);
}

/** As {@link reference}, for a component that is part of itself. */
export function referenceTo<T>(component: string, description?: string): TUnsafe<T> {
  const pointer = { $ref: `#/components/schemas/${component}` };
  return Type.Unsafe<T>(description === undefined ? pointer : { ...pointer, description });
}

/** Returns the components to which schemas refer, directly or inside another, by name. */
export function componentsIn(schemas: Iterable<TSchema>): Record<string, TSchema> {
  const found: Record<string, TSchema> = {};
  const collect = (schema: TSchema): void => {
    for (const [, name = ''] of JSON.stringify(schema).matchAll(
      /"#\/components\/schemas\/(\w+)"/g,
    )) {
      if (name in found) continue;
      found[name] = componentOf(name);
      collect(found[name]);
    }
  };
  for (const schema of schemas) collect(schema);
  return found;
}

/** A text that is one of the given words, in the same letter case. */
export function word<const Words extends readonly string[]>(
  words: Words,
  options: TSchema = {},
): TUnsafe<Words[number]> {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: words, ...options });
}

/** Returns the same schema with `null` allowed. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type = [], enum: words, ...rest } = schema as { type?: string[]; enum?: unknown[] };
  const types = [type, 'null'].flat();
  if (types.length === 1) throw new Error('Only a schema with a type can be made nullable');
  const choices = words === undefined ? {} : { enum: [...words, null] };
  return Type.Unsafe<Static<T> | null>({ type: types, ...choices, ...rest });
}

export const optional = Type.Optional;

/** The same properties, none of which is required. */
export function partial<P extends TProperties>(properties: P) {
  return Type.Partial(Type.Object(properties)).properties;
}

/** An object without other properties. */
export function closed<P extends TProperties>(properties: P, description?: string): TObject<P> {
  return Type.Object(properties, {
    additionalProperties: false,
    ...(description !== undefined && { description }),
  });
}

/** The id of a record in a response: an integer from 1 to 2^53 - 1. */
export function id(description: string) {
  return Type.Integer({ format: 'int64', minimum: minId, maximum: maxId, description });
}

/** The id of another record in a request. Any integer is valid; one that no record has is refused by its name. */
export function someId(description: string) {
  return Type.Integer({ minimum: -maxId, maximum: maxId, description });
}

/** As {@link someId}; integers that cannot be ids are refused as not valid. */
export function recordId(description: string) {
  return Type.Integer({ minimum: minId, maximum: maxId, description });
}

/** A text of any length. */
export function text(description: string) {
  return Type.String({ description });
}

/** A text of 1 to `maxLength` characters. */
export function textUpTo(maxLength: number, description: string) {
  return Type.String({ minLength: 1, maxLength, description });
}

/** A text of 1 to `maxLength` characters, not all of them blank. */
export function notBlank(maxLength: number, description: string) {
  return Type.String({ minLength: 1, maxLength, pattern: '\\S', description });
}

/** A boolean, with a default where it may be left out. */
export function flag(description: string, byDefault?: boolean) {
  return Type.Boolean(
    byDefault === undefined ? { description } : { default: byDefault, description },
  );
}

/** Any number, with or without decimals. */
export function number(description: string) {
  return Type.Number({ description });
}

/** A number of things. */
export function count(description: string) {
  return Type.Integer({ minimum: 0, description });
}

/** The parameter of a query that says how many entries the response has at most. */
export function limit(most: number, byDefault: number, description: string) {
  return Type.Integer({ minimum: 1, maximum: most, default: byDefault, description });
}

/** The parameter of a query that says how many entries are skipped. */
export function offset(description: string) {
  return Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description,
  });
}

/** A list of a component of the document. */
export function listOf<S extends TSchema>(schema: S, description?: string) {
  return Type.Array(reference(schema), description === undefined ? {} : { description });
}

/** A component of the document, or null. */
export function orNull<S extends TSchema>(schema: S, description: string) {
  return Type.Union([reference(schema), Type.Null()], { description });
}

/** A calendar date in a request. */
export function day(description: string) {
  return Type.String({ format: 'date', description });
}

/** The code of a currency in a response. */
export function currencyCode(description: string) {
  return Type.String({ minLength: 3, maxLength: 3, description });
}

/** A calendar date in a response: `YYYY-MM-DD`, years 0001 to 9999. */
export function date(description: string) {
  return Type.String({ format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$', description });
}

/** An instant in a response: ISO 8601 in UTC, always with milliseconds and `Z`. */
export function dateTime(description: string) {
  return Type.String({
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    description,
  });
}

/** An amount of money in a response: a decimal text with exactly four decimals. */
export function amount(description: string) {
  return Type.String({ pattern: `^-?(0|[1-9]\\d*)\\.\\d{${amountDecimals}}$`, description });
}

/** An object of any shape, stored unchanged. */
export function anyObject(description: string): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description,
  });
}

/** The path of one record. Any integer is valid; one that is not the id of a record returns 404. */
export function idPath(noun: string) {
  return closed({ id: someId(`Id of the ${noun}.`) });
}

/** A lower-case currency code. */
export const Currency = component(
  'Currency',
  word<readonly CurrencyCode[]>(currencyCodes, {
    title: 'Currency',
    description:
      'A lower-case code: of ISO 4217, withdrawn codes included; `btc` and `eth`; `ggp`, `imp` and `jep`; ' +
      '`xag` and `xau` in troy ounces.',
  }),
);

/** A closed object that is a component of the document; its title is by default the name in words. */
export function object<P extends TProperties>(
  name: string,
  description: string,
  properties: P,
  { title = titleOf(name), example }: ObjectOptions<P> = {},
): TObject<P> {
  const options = { title, description, additionalProperties: false };
  return component(name, Type.Object(properties, options), example);
}

interface ObjectOptions<P extends TProperties> {
  readonly title?: string;
  /** Absent where it is made from the examples of the parts. */
  readonly example?: NoInfer<Static<TObject<P>>>;
}

/** Returns the name of a component in words: `TagUpdate` is "Tag update". */
export function titleOf(name: string): string {
  return name.replaceAll(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** The response of a list without pages: an object with one key, an array of a component. */
export function list<const K extends string, S extends TSchema>(key: K, schema: S, order: string) {
  const items = listOf(schema, order);
  const description = `All ${key} of the book.`;
  const name = `${componentName(schema)}ListResponse`;
  return object(name, description, { [key]: items } as Record<K, typeof items>);
}

type DependentsOf<N extends string, K extends string> = Readonly<Record<`${N}_name`, string>> & {
  readonly dependents: Readonly<Record<K, number>>;
};

/** The body of 422 for a record that others depend on: its name, and the number of dependents by kind. */
export function dependents<const N extends string, const K extends string>(
  noun: N,
  kinds: readonly K[],
): TUnsafe<DependentsOf<N, K>> {
  const records = count('Number of records.');
  const fields = Object.fromEntries(kinds.map((kind) => [kind, records]));
  const description = `Number of records by kind: ${kinds.map((kind) => `\`${kind}\``).join(', ')}.`;
  const numbers = Object.fromEntries(kinds.map((kind) => [kind, 12]));
  const example = { [`${noun}_name`]: `Old ${noun}`, dependents: numbers };
  const name = `${noun[0]!.toUpperCase()}${noun.slice(1)}Dependents`;
  return object(
    name,
    `The records that depend on a ${noun}. \`force=true\` deletes it nevertheless.`,
    {
      [`${noun}_name`]: text(`Name of the ${noun}.`),
      dependents: closed(fields, description),
    },
    { example },
  ) as unknown as TUnsafe<DependentsOf<N, K>>;
}

/** The query of an operation that deletes a record on which others may depend. */
export const DeleteQuery = closed({
  force: flag('Delete it even if records depend on it.', false),
});

/** Properties that a request may have because responses have them; their values are ignored. */
export function ignoring<const K extends string>(...properties: readonly K[]) {
  const ignored = optional(Type.Unknown({ description: 'Ignored.' }));
  const pairs = properties.map((property) => [property, ignored]);
  return Object.fromEntries(pairs) as Record<K, typeof ignored>;
}

/** A property of a request: when a record was archived. */
export const archivedAt = optional(
  nullable(
    Type.String({
      format: 'date-time',
      description: 'When it was archived; `archived` takes precedence.',
    }),
  ),
);

/**
 * Returns ten-thousandths as a JSON number with four decimals, only for JSON.stringify. It is written digit by digit: a
 * double cannot hold the last decimal of the largest numbers.
 */
export function wireNumber(tenThousandths: number | bigint): number {
  return JSON.rawJSON(formatAmount(tenThousandths)) as unknown as number;
}

/** Returns some properties of a record, or of its schema. */
export function only<T extends object, const Names extends readonly (keyof T)[]>(
  from: T,
  names: Names,
): Pick<T, Names[number]> {
  const pairs = names.map((name) => [name, from[name]]);
  return Object.fromEntries(pairs) as Pick<T, Names[number]>;
}

/** The JSON Schema keywords that the declarations use. */
export interface SchemaJson {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly format?: string;
  readonly anyOf?: readonly SchemaJson[];
  readonly items?: SchemaJson;
  readonly properties?: Readonly<Record<string, SchemaJson>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly title?: string;
  readonly description?: string;
}

/** A typebox schema, read as the JSON Schema it is. */
export function asJson(schema: TSchema): SchemaJson {
  return schema;
}
