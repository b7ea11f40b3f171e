import type { TSchema } from 'typebox';

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
  readonly description?: string;
}

/** A typebox schema, read as the JSON Schema it is. */
export function asJson(schema: TSchema): SchemaJson {
  return schema;
}
