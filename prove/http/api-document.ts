import { readFileSync } from 'node:fs';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface OperationEntry {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly form: Schema | undefined;
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationEntry>>>>;
}

/** The API in two versions, and Coffer's own. Components can have the same names, so references begin with the file. */
const documents: Readonly<Record<string, ApiDocument>> = Object.fromEntries(
  ['openapi.json', 'openapi-v1.json', 'coffer-openapi.json'].map((file) => [file, read(file)]),
);

function read(file: string): ApiDocument {
  const text = readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');
  return JSON.parse(text, (key, value: unknown) =>
    key === '$ref' ? file + String(value) : value,
  ) as ApiDocument;
}

export function resolved<T extends { readonly $ref?: string }>(value: T): T {
  if (value.$ref === undefined) return value;
  const [file = '', path = ''] = value.$ref.split('#/');
  const keys = path.split('/');
  return keys.reduce<unknown>(
    (at, key) => (at as Record<string, unknown>)[key],
    documents[file],
  ) as T;
}

export const operations: readonly Operation[] = Object.values(documents)
  .flatMap(({ paths }) => Object.entries(paths))
  .flatMap(([path, entries]) =>
    Object.entries(entries).map(([verb, { parameters = [], requestBody }]) => ({
      method: verb.toUpperCase(),
      path,
      parameters: parameters.map(resolved),
      body: requestBody?.content['application/json']?.schema,
      form: requestBody?.content['multipart/form-data']?.schema,
    })),
  );
