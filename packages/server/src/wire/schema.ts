import { formatAmount } from '@coffer/core/money';
import { Type } from 'typebox';
import type { Static, TProperties, TSchema, TUnsafe } from 'typebox';
import { currencyCodes, type CurrencyCode } from './currencies.ts';
import { maxId, minId } from '@coffer/core/ids';
import { amountDecimals } from './limits.ts';

/** Points to a schema in the document's `components.schemas`, where every name is used once. */
export function reference<T>(component: string, description?: string): TUnsafe<T> {
  const pointer = { $ref: `#/components/schemas/${component}` };
  return Type.Unsafe<T>(description === undefined ? pointer : { ...pointer, description });
}

const componentNames = new WeakMap<object, string>();

/** Gives a schema the name under which the document has it among its components. */
function component<S extends TSchema>(name: string, schema: S): S {
  componentNames.set(schema, name);
  return schema;
}

/** The name that {@link component} gave. Throws for a schema without one. */
export function componentName(schema: TSchema): string {
  const name = componentNames.get(schema);
  if (name === undefined) throw new Error('Only a named component can be the body of a response');
  return name;
}

/** Text that is one of the given words, letter case included. */
export function word<const Words extends readonly string[]>(
  words: Words,
  options: TSchema = {},
): TUnsafe<Words[number]> {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: words, ...options });
}

/** The same schema, with `null` allowed beside its type and, for words, among them. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: words, ...rest } = schema as { type?: unknown; enum?: unknown[] };
  if (typeof type !== 'string') throw new Error('Only a schema of one type can be made nullable');
  const choices = words === undefined ? {} : { enum: [...words, null] };
  return Type.Unsafe<Static<T> | null>({ type: [type, 'null'], ...choices, ...rest });
}

/** The id of a record, in a response: an integer from 1 to 2^53 - 1. */
export function id(description: string) {
  return Type.Integer({ format: 'int64', minimum: minId, maximum: maxId, description });
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

/** An amount of money in a response: decimal text with exactly four decimals. */
export function amount(description: string) {
  return Type.String({ pattern: `^-?(0|[1-9]\\d*)\\.\\d{${amountDecimals}}$`, description });
}

/** An object of any shape, kept as it came. */
export function anyObject(description: string): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description,
  });
}

/** The path of one record. Any integer is well formed; one that is no record's id is answered with 404. */
export function idPath(noun: string) {
  return Type.Object(
    {
      id: Type.Integer({
        minimum: -maxId,
        maximum: maxId,
        description: `The id of the ${noun}: a whole number. Anything else: 400. A number that is no ${noun} of this book: 404.`,
      }),
    },
    { additionalProperties: false },
  );
}

/** A lower-case currency code. */
export const Currency = word<readonly CurrencyCode[]>(currencyCodes, {
  title: 'Currency',
  description:
    'A currency as a lower-case code: three letters of ISO 4217 (withdrawn codes included), `btc` or `eth` for coins, ' +
    '`ggp`, `imp` or `jep` for island pounds, `xag` or `xau` for troy ounces of silver and gold.',
});

/** A closed object with a name among the components of the document; its title is the name in words unless given. */
export function object<P extends TProperties>(
  name: string,
  description: string,
  properties: P,
  title: string = name.replaceAll(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
) {
  const options = { title, description, additionalProperties: false };
  return component(name, Type.Object(properties, options));
}

/** The response of a list without pages: an object with one key. */
export function list<const K extends string, T>(key: K, name: string, description: string) {
  const items = Type.Array(reference<T>(name), { description });
  return object(`${name}ListResponse`, description, { [key]: items } as Record<K, typeof items>);
}

type DependentsOf<N extends string, K extends string> = Readonly<Record<`${N}_name`, string>> & {
  readonly dependents: Readonly<Record<K, number>>;
};

/** The body of 422 for a record that something depends on: its name, and how many of each kind do. */
export function dependents<const N extends string, const K extends string>(
  noun: N,
  kinds: readonly K[],
): TUnsafe<DependentsOf<N, K>> {
  const count = Type.Integer({ minimum: 0, description: 'How many.' });
  const fields = Object.fromEntries(kinds.map((kind) => [kind, count]));
  const description = 'How many records depend on it, by kind.';
  const name = `${noun[0]!.toUpperCase()}${noun.slice(1)}Dependents`;
  return object(
    name,
    `What keeps a ${noun} from being deleted. \`force=true\` deletes it anyway.`,
    {
      [`${noun}_name`]: Type.String({ description: `The name of the ${noun}.` }),
      dependents: Type.Object(fields, { additionalProperties: false, description }),
    },
  ) as unknown as TUnsafe<DependentsOf<N, K>>;
}

/** The query of an operation that deletes what others may depend on. */
export const DeleteQuery = Type.Object(
  {
    force: Type.Boolean({
      default: false,
      description: 'Whether to detach what depends on it, and delete it in any case.',
    }),
  },
  { additionalProperties: false },
);

/** A property that a request may have because a response has it; its value does not count. */
export const ignored = Type.Optional(Type.Unknown({ description: 'Accepted and ignored.' }));

/** A property of a request: the moment at which a record was archived. */
export const archivedAt = Type.Optional(
  nullable(
    Type.String({
      format: 'date-time',
      description: 'When it was archived; null when it is not. `archived` counts first.',
    }),
  ),
);

/**
 * Ten-thousandths as a JSON number with four decimals, written digit by digit: a double cannot hold the last place of
 * the largest. What it returns is only for JSON.stringify.
 */
export function wireNumber(tenThousandths: number): number {
  return JSON.rawJSON(formatAmount(tenThousandths)) as unknown as number;
}
