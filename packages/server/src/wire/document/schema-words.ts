import type { TSchema } from 'typebox';

/** The keywords of JSON Schema that this contract uses. */
export interface SchemaJson {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
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
  readonly description?: string;
}

/** A typebox schema, read as the JSON Schema it is. */
export function asJson(schema: TSchema): SchemaJson {
  return schema;
}

/** The name of the component that a schema points to; undefined when it points to none. */
function referenced(schema: SchemaJson): string | undefined {
  return schema.$ref?.split('/').at(-1);
}

/** What a value is, in a few words of Markdown, such as `integer`, `date or null` or "array of [Tag](#tag)". */
export function typeWords(schema: SchemaJson): string {
  const component = referenced(schema);
  if (component !== undefined) return `[${component}](#${component.toLowerCase()})`;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeWords).join(' or ');
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.items !== undefined) return `array of ${typeWords(schema.items)}`;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const words = types.map((type): unknown => (type === 'string' ? (schema.format ?? type) : type));
  return (words as (string | undefined)[]).join(' or ');
}

/** The bounds of a value, both inclusive, such as `1 to 2000`; empty when it has none. */
export function boundsWords(schema: SchemaJson): string {
  if (schema.minimum !== undefined && schema.maximum !== undefined)
    return `${integerWords(schema.minimum)} to ${integerWords(schema.maximum)}`;
  if (schema.minimum !== undefined) return `at least ${integerWords(schema.minimum)}`;
  if (schema.maxLength !== undefined)
    return `${schema.minLength ?? 0} to ${schema.maxLength} characters`;
  return '';
}

function integerWords(value: number): string {
  if (Math.abs(value) !== Number.MAX_SAFE_INTEGER) return String(value);
  return value < 0 ? '-(2^53 - 1)' : '2^53 - 1';
}
