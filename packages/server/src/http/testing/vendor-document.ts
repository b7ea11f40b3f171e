import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { validatorOf, type Validator } from './schema-validator.ts';
import { newerParts, otherStatus, statusDifference } from './vendor-differences.ts';

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface VendorOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
}

interface VendorDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, VendorOperation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Record<string, object>;
  };
}

const methods = ['get', 'post', 'put', 'delete'];
let loaded: VendorDocument | undefined;

/** The OpenAPI document of the API that Coffer is compatible with, with the parts in which its client is newer. */
function vendorDocument(): VendorDocument {
  if (loaded === undefined) {
    const file = new URL(import.meta.resolve('@lunch-money/v2-api-spec/lunch-money-api-v2.yaml'));
    const document = withoutNullable(parse(readFileSync(file, 'utf8'))) as VendorDocument;
    newerParts(document.components.schemas);
    loaded = document;
  }
  return loaded;
}

/** An operation of the vendor's document: `PUT /v2/tags/{id}`, and the statuses that it documents. */
export interface VendorEntry {
  readonly name: string;
  readonly id: string;
  readonly statuses: readonly number[];
}

export function vendorOperations(): VendorEntry[] {
  return Object.entries(vendorDocument().paths).flatMap(([path, item]) =>
    methods
      .filter((method) => method in item)
      .map((method) => {
        const { operationId: id, responses } = item[method]!;
        const name = `${method.toUpperCase()} /v2${path}`;
        return { name, id, statuses: Object.keys(responses).map(Number) };
      }),
  );
}

export interface Compared {
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly text: string;
}

/**
 * Returns a line for each difference between a response and the vendor's document, which the list of differences does
 * not have. Nothing is compared for paths that the document does not have.
 */
export function vendorProblems({ method, target, status, text }: Compared): string[] {
  const found = operationAt(method, target);
  if (found === null) return [];
  const { name, operation } = found;
  const place = `${name} ${status}`;
  const response = responseOf(operation, otherStatus[place] ?? status);
  const known = statusDifference(name, status);
  if (response === undefined) return known === null ? [`${place} is not documented`] : [];
  const schema = response.content?.['application/json']?.schema;
  // Their document describes some refusals without a body.
  if (schema === undefined) return text === '' || status >= 400 ? [] : [`${place} has a body`];
  return validator(place, schema)(JSON.parse(text)).map((problem) => `${place}: ${problem}`);
}

function responseOf({ responses }: VendorOperation, status: number | string): Response | undefined {
  const response = responses[status];
  const name = response?.$ref?.split('/').at(-1);
  return name === undefined ? response : vendorDocument().components.responses[name];
}

interface Found {
  readonly name: string;
  readonly operation: VendorOperation;
}

/** Finds the operation of a request; of two paths that match, the one with fewer parameters. */
function operationAt(method: string, target: string): Found | null {
  const word = method.toLowerCase();
  const path = target.split('?', 1)[0] ?? '';
  if (!path.startsWith('/v2/')) return null;
  const fitting = Object.entries(vendorDocument().paths)
    .filter(([template, item]) => word in item && patternOf(template).test(path.slice(3)))
    .toSorted(([one], [other]) => parametersOf(one) - parametersOf(other));
  const [template, item] = fitting[0] ?? [];
  if (template === undefined || item === undefined) return null;
  return { name: `${method} /v2${template}`, operation: item[word]! };
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function parametersOf(template: string): number {
  return template.split('{').length;
}

const validators = new Map<string, Validator>();

function validator(place: string, schema: object): Validator {
  const known = validators.get(place) ?? validatorOf(schema, vendorDocument().components);
  validators.set(place, known);
  return known;
}

/** OpenAPI 3.0 uses `nullable` where JSON Schema has null among the types. */
function withoutNullable(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutNullable);
  if (typeof node !== 'object' || node === null) return node;
  const converted = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, withoutNullable(value)]),
  );
  if (converted['nullable'] !== true) return converted;
  return { anyOf: [{ type: 'null' }, { ...converted, nullable: undefined }] };
}
