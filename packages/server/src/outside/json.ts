import { nonsense } from './bounded-fetch.ts';

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether the value is a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a response that must be a JSON object; throws the `nonsense` error of `who` otherwise. */
export function parseJsonObject(who: string, text: string): JsonObject {
  return objectOf(who, () => JSON.parse(text));
}

/** A JSON number as it was written, because a double would lose digits. */
export class NumberLiteral {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

type Reviver = (this: unknown, key: string, value: unknown, context: { source: string }) => unknown;

const keepLiteral: Reviver = (_key, value, { source }) =>
  typeof value === 'number' ? new NumberLiteral(source) : value;

/** Like {@link parseJsonObject}, with every number as a {@link NumberLiteral}. */
export function parseJsonLiterals(who: string, text: string): JsonObject {
  // The third parameter of a reviver is in ES2026 but not yet in the types.
  return objectOf(who, () =>
    JSON.parse(text, keepLiteral as (key: string, value: unknown) => unknown),
  );
}

function objectOf(who: string, parse: () => unknown): JsonObject {
  let value: unknown;
  try {
    value = parse();
  } catch {
    // The parser's message would quote the text. JSON that is nested too deep fails here too.
    throw nonsense(who, 'it is not JSON');
  }
  if (isJsonObject(value)) return value;
  throw nonsense(who, 'it is not a JSON object');
}
