import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { SchemaJson } from '../../schema-json.ts';

/** A schema of OpenAPI 3.0, as the other document writes it. */
export interface Schema30 extends SchemaJson {
  readonly pattern?: string;
  readonly nullable?: boolean;
  readonly allOf?: readonly Schema30[];
  readonly oneOf?: readonly Schema30[];
  readonly properties?: Readonly<Record<string, Schema30>>;
}
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema30;
}
export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Record<string, { schema: Schema30; examples?: Examples; example?: unknown }>;
  };
  readonly responses: Record<string, { content?: Record<string, { schema: Schema30 }> }>;
}
type Examples = Readonly<Record<string, { readonly value: unknown }>>;
export type Method = (typeof methods)[number];
export interface Document {
  readonly paths: Record<string, Readonly<Partial<Record<Method, Operation>>>>;
  readonly components: { readonly schemas: Record<string, Schema30> };
}

export const methods = ['get', 'post', 'put', 'delete'] as const;
const file = new URL(import.meta.resolve('@lunch-money/v2-api-spec/lunch-money-api-v2.yaml'));
/** The document of the API that Coffer is compatible with, with the parts in which its client is newer. */
export const theirs = withMonths(withDisplayName(parse(readFileSync(file, 'utf8')) as Document));

/** Their client is newer than their document: a balance has one more key, which the type check covers. */
function withDisplayName(document: Document): Document {
  const { schemas } = document.components;
  const balance = schemas['cryptoSyncedBalance'] ?? {};
  const displayName: Schema30 = { type: 'string', nullable: true };
  const properties = { ...balance.properties, display_name: displayName };
  const required = [...(balance.required ?? []), 'display_name'];
  const changed = { ...schemas, cryptoSyncedBalance: { ...balance, properties, required } };
  return { ...document, components: { ...document.components, schemas: changed } };
}

/** In their client, the balance history has months in place of the first days of months. */
function withMonths(document: Document): Document {
  const ofHistory = Object.entries(document.paths).filter(([path]) => path.includes('history'));
  const text = JSON.stringify(Object.fromEntries(ofHistory))
    .replaceAll(/"name":"(start|end)_date"/g, '"name":"$1_month"')
    .replaceAll(/"date":"(20\d\d-\d\d)-01"/g, '"month":"$1"');
  const paths = { ...document.paths, ...(JSON.parse(text) as Document['paths']) };
  const { schemas } = document.components;
  const { properties = {}, ...rest } = schemas['balanceHistoryUpdateItemObject'] ?? {};
  const others = Object.entries(properties).filter(([name]) => name !== 'date');
  const item: Schema30 = {
    ...rest,
    properties: { ...Object.fromEntries(others), month: { type: 'string' } },
    required: ['month', 'balance'],
  };
  return { paths, components: { schemas: { ...schemas, balanceHistoryUpdateItemObject: item } } };
}

/** Their document has no default for `offset`; their description has 0. */
export function withOffsetDefault(parameter: Parameter): Parameter {
  if (parameter.name !== 'offset') return parameter;
  return { ...parameter, schema: { ...parameter.schema, default: 0 } };
}
