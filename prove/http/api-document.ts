import { readFileSync } from 'node:fs';

/** The parts of a schema from which values are generated. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

interface OperationEntry {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
}

/** An operation of the API document. */
export interface Operation {
  /** `GET`, `POST`, … */
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The schema of the JSON body, if it has one. */
  readonly body: Schema | undefined;
}

const document = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
) as { paths: Readonly<Record<string, Readonly<Record<string, OperationEntry>>>> };

/** Returns the target of a reference, or the value itself. */
export function resolved<T extends { readonly $ref?: string }>(value: T): T {
  if (value.$ref === undefined) return value;
  const keys = value.$ref.slice('#/'.length).split('/');
  return keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as T;
}

/** Every operation of the document. */
export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(
  ([path, entries]) =>
    Object.entries(entries).map(([verb, { parameters = [], requestBody }]) => ({
      method: verb.toUpperCase(),
      path,
      parameters: parameters.map(resolved),
      body: requestBody?.content['application/json']?.schema,
    })),
);
