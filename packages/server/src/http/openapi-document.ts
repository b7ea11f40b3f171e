/** As much of JSON Schema as the server looks at itself; the rest is the validator's. */
export interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly default?: ParameterValue;
}

/** A parameter after conversion. */
export type ParameterValue = string | number | boolean;

/** Something that a request carries in its path, its query or a header. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

/** What one method of a path takes. */
export interface Operation {
  readonly parameters?: readonly Parameter[];
}

/** The OpenAPI 3.1 document that the service publishes, as far as it also obeys it. */
export interface OpenApiDocument {
  readonly info: { readonly version: string };
  /** By path template, such as `/v2/transactions/{id}`, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Readonly<Record<string, unknown>>;
}

/** What the document says about one method of one path. Throws when it says nothing. */
export function operationOf(document: OpenApiDocument, method: string, path: string): Operation {
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The API document has no ${method} "${path}"`);
  return operation;
}
