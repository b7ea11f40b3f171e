import { isCalendarDate, isDateTime } from './calendar.ts';
import type { OpenApiDocument, ParameterValue, Schema } from './openapi-document.ts';

/** Keywords that say nothing about which values are valid. */
const annotations = new Set(['default', 'description', 'example', 'examples', 'title']);

/**
 * True when a value obeys a schema of the API document, by the few keywords that parameters have.
 *
 * False means only that this check cannot say so: the value breaks the schema, or the schema has a keyword that is
 * not known here. The full validator then decides and explains. It costs as much to load as a quarter of the
 * service's start, and requests that are in order never need it.
 */
export function conforms(
  value: ParameterValue | undefined,
  schema: Schema,
  document: OpenApiDocument,
): boolean {
  return Object.entries(schema).every(([keyword, argument]) => {
    if (annotations.has(keyword)) return true;
    return checks[keyword]?.(value, argument, document) ?? false;
  });
}

type Check = (value: unknown, argument: unknown, document: OpenApiDocument) => boolean;

const checks: Readonly<Record<string, Check | undefined>> = {
  type: (value, type) => types[type as string]?.(value) ?? false,
  format: (value, format) => formats[format as string]?.(value) ?? false,
  minimum: (value, least) => (value as number) >= (least as number),
  maximum: (value, most) => (value as number) <= (most as number),
  minLength: (value, least) => lengthOf(value as string) >= (least as number),
  maxLength: (value, most) => lengthOf(value as string) <= (most as number),
  enum: (value, values) => (values as unknown[]).includes(value),
  anyOf: (value, schemas, document) =>
    (schemas as Schema[]).some((schema) => conforms(value as ParameterValue, schema, document)),
  $ref: (value, reference, document) =>
    conforms(value as ParameterValue, targetOf(reference as string, document), document),
};

/** In characters, as JSON Schema counts: one outside of the first plane is one. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

const types: Readonly<Record<string, ((value: unknown) => boolean) | undefined>> = {
  integer: Number.isSafeInteger,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
};

const formats: Readonly<Record<string, ((value: unknown) => boolean) | undefined>> = {
  date: (value) => typeof value === 'string' && isCalendarDate(value),
  'date-time': (value) => typeof value === 'string' && isDateTime(value),
  int64: Number.isSafeInteger,
};

/** What a reference such as `#/components/schemas/Currency` points to. */
export function targetOf(reference: string, document: OpenApiDocument): Schema {
  const keys = reference.slice('#/'.length).split('/');
  const target = keys.reduce<unknown>(
    (node, key) => (node as Record<string, unknown>)[key],
    document,
  );
  return target as Schema;
}
