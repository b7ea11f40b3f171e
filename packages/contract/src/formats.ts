import { Type, type Static, type TSchema, type TUnsafe } from 'typebox';
import { currencyCodes, type CurrencyCode } from './currencies.ts';
import { amountDecimals, maxId, minId } from './limits.ts';

/** Points to a schema in the document's `components.schemas`, where every name is used once. */
export function reference<T>(component: string, description?: string): TUnsafe<T> {
  const pointer = { $ref: `#/components/schemas/${component}` };
  return Type.Unsafe<T>(description === undefined ? pointer : { ...pointer, description });
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
