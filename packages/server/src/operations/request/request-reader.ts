import type { ValidateFunction } from 'ajv/dist/2020.js';
import { Type, type TObject, type TSchema } from 'typebox';
import { isCalendarDate, isDateTime, toInstant, toLastInstant } from '@coffer/core/dates';
import { isStorable, quote, shorten } from '@coffer/core/text';
import { asJson, closed, componentOf, componentsIn, type SchemaJson } from '../schema.ts';
import { explainErrors } from './explain.ts';
import type { Described } from '../declaration.ts';
import { Problem, type ErrorDetail } from '../problem.ts';

interface QueryString {
  /** The first value of each name. It has no prototype, so that any name is safe. */
  readonly values: Record<string, string>;
  /** Names that were sent more than once. */
  readonly repeated: ReadonlySet<string>;
  /** One problem for each parameter that could not be decoded. */
  readonly problems: readonly ErrorDetail[];
}

/** Printable ASCII except `#`. RFC 3986 allows less, but browsers send more. */
const allowedPattern = /^[!"$-~]*$/;

/**
 * Parses a query string strictly.
 *
 * `text` is the part after the `?`. `&` separates parameters, the first `=` separates name and value, and `+` is a
 * space, as forms and URLSearchParams write it. A name without `=` has an empty value; empty parameters are skipped.
 * Names and values must be percent-encoded UTF-8; `problems` lists the others. Brackets have no meaning: `limit[]` and
 * `limit` are different names.
 */
export function parseQueryString(text: string): QueryString {
  const values = Object.create(null) as Record<string, string>;
  const repeated = new Set<string>();
  const problems: ErrorDetail[] = [];
  for (const parameter of text.split('&')) {
    if (parameter === '') continue;
    const [name, value] = splitOnce(parameter).map(decode);
    if (name === undefined || value === undefined) problems.push(undecodable(parameter));
    else if (name in values) repeated.add(name);
    else values[name] = value;
  }
  return { values, repeated, problems };
}

function splitOnce(parameter: string): [string, string] {
  const at = parameter.indexOf('=');
  return at === -1 ? [parameter, ''] : [parameter.slice(0, at), parameter.slice(at + 1)];
}

function decode(text: string): string | undefined {
  if (!allowedPattern.test(text)) return undefined;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function undecodable(parameter: string): ErrorDetail {
  return {
    errMsg: `Query parameter ${quote(parameter)} is not percent-encoded UTF-8`,
    instancePath: '/query',
    schemaPath: '#/properties/query',
    keyword: 'percentEncoding',
    params: { parameter: shorten(parameter) },
  };
}

/** The values of a request after validation, with defaults. */
export interface Values {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** A request as it was sent. */
export interface Sent {
  /** The part of the URL after the `?`. */
  readonly query: string;
  /** The decoded parameters of the path. */
  readonly path: Readonly<Record<string, string>>;
  /** The parsed JSON; undefined without a body. */
  readonly body?: unknown;
}

/** Reads the values of a request. Throws a {@link Problem} that lists all that is wrong with them. */
export type RequestReader = (sent: Sent) => Promise<Values>;

const integerPattern = /^(0|-?[1-9][0-9]{0,15})$/;
/** An operation without a body accepts an empty object: some clients send one. */
const empty = closed({});

/**
 * Returns the reader of an operation's requests, by the schemas of its declaration.
 *
 * Text of the path and the query becomes an integer only if it has plain digits and a double holds it exactly (no sign
 * but `-`, no leading zeros, no exponent), and a boolean only if it is `true` or `false`, in v1 in any letter case, as
 * Python writes `True`. Other text stays text and breaks the schema. Bodies are not converted. Nothing is clamped or
 * dropped: unknown and repeated names are problems, and all problems are reported in one response. Defaults are set
 * only here. The body of GET has no meaning (RFC 9110, 9.3.1) and is ignored. The validator is compiled when the
 * first request needs it: see {@link plainCheck}.
 */
export function requestReader({ method, declaration }: Described): RequestReader {
  // Operations of v1 ignore what they do not know.
  const none = declaration.v1 === undefined ? empty : Type.Object({});
  const sections = { path: declaration.params ?? empty, query: declaration.query ?? none };
  const isForm = declaration.multipart === true || declaration.upload === true;
  const missing = declaration.upload === true ? missingFile : missingForm;
  const conversionOf = (schema: TObject): Conversion => {
    const types = typesOf(schema);
    return { types, ignoresCase: declaration.v1 !== undefined };
  };
  const takesBody = declaration.body !== undefined && !isForm;
  const body = method === 'GET' || isForm ? undefined : (declaration.body ?? none);
  let conversions: Readonly<Record<'path' | 'query', Conversion>> | undefined;
  let plain: Readonly<Record<'path' | 'query', ReturnType<typeof plainCheck>>> | undefined;
  let compiled: Promise<ValidateFunction> | undefined;
  return async (received) => {
    const isLeftOut = received.body === undefined && declaration.isBodyOptional === true;
    const sent = isLeftOut ? { ...received, body: {} } : received;
    const query = parseQueryString(sent.query);
    conversions ??= { path: conversionOf(sections.path), query: conversionOf(sections.query) };
    const values: ReadValues = {
      path: convert(sent.path, conversions.path),
      query: convert(query.values, conversions.query),
    };
    if (body !== undefined && (takesBody || sent.body !== undefined)) values.body = sent.body;
    plain ??= { path: plainCheck(sections.path), query: plainCheck(sections.query) };
    const areValid = body === undefined && plain.path(values.path) && plain.query(values.query);
    if (!areValid) compiled ??= compile({ ...sections, ...(body && { body }) }, takesBody);
    const parts = { sent, query, schema: sections.query };
    const problems = problemsOf(areValid ? null : await compiled!, values, parts);
    if (isForm && sent.body === undefined) problems.push(missing);
    if (problems.length > 0) throw new Problem('validation', { details: problems });
    const { path: params, query: parameters } = values;
    return { params, query: parameters, body: isForm ? sent.body : values.body };
  };
}

const missingForm: ErrorDetail = {
  errMsg: 'Missing body: send multipart/form-data',
  instancePath: '',
  schemaPath: '#/required',
  keyword: 'required',
  params: { missingProperty: 'body' },
};

const missingFile: ErrorDetail = {
  ...missingForm,
  errMsg: 'Missing body: send a file, or multipart/form-data with the field `file`',
};

interface Conversion {
  /** The types of the parameters of a section by their names. */
  readonly types: ReadonlyMap<string, string | undefined>;
  /** Whether `True` is a boolean. */
  readonly ignoresCase: boolean;
}

function typesOf(schema: TObject): Conversion['types'] {
  const properties = Object.entries(asJson(schema).properties ?? {});
  return new Map(properties.map(([name, property]) => [name, typeOf(property)]));
}

function convert(
  texts: Readonly<Record<string, string>>,
  { types, ignoresCase }: Conversion,
): Record<string, unknown> {
  const values = Object.create(null) as Record<string, unknown>;
  for (const [name, text] of Object.entries(texts)) {
    const type = types.get(name);
    const isFolded = ignoresCase && type === 'boolean';
    values[name] = convertText(isFolded ? text.toLowerCase() : text, type);
  }
  return values;
}

function convertText(text: string, type: string | undefined): unknown {
  if (type === 'integer' && integerPattern.test(text)) {
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : text;
  }
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function typeOf(schema: SchemaJson): string | undefined {
  const component = schema.$ref?.split('/').at(-1);
  if (component !== undefined) return typeOf(asJson(componentOf(component)));
  return typeof schema.type === 'string' ? schema.type : undefined;
}

type Check = (value: unknown) => boolean;

const plainObject = ['type', 'required', 'properties', 'additionalProperties'];
const plainValue = ['type', 'description', 'minimum', 'maximum', 'enum', 'default'];

/**
 * Returns a function that sets the defaults of parameters, and returns whether they are valid without doubt: integers
 * in bounds, booleans, words of a list and texts without a form. Where it returns false, the validator decides.
 *
 * Most requests have no other parameters. So they do not need their validator, which takes 10 ms to load and compile.
 */
export function plainCheck(schema: TObject): (values: Record<string, unknown>) => boolean {
  const { properties = {}, required = [] } = asJson(schema);
  const entries = Object.entries(properties);
  const defaults = entries
    .map(([name, property]) => [name, property.default] as const)
    .filter(([, value]) => value !== undefined);
  if (!hasOnly(schema, plainObject) || defaults.some(([, value]) => typeof value === 'object'))
    return () => false;
  const checks = new Map(entries.map(([name, property]) => [name, checkOf(property)]));
  return (values) => {
    for (const [name, value] of defaults) values[name] ??= value;
    for (const name in values) if (checks.get(name)?.(values[name]) !== true) return false;
    return required.every((name) => name in values);
  };
}

function checkOf(property: SchemaJson): Check | undefined {
  if (!hasOnly(property, plainValue)) return undefined;
  const { type, minimum = -Infinity, maximum = Infinity, enum: words } = property;
  const fits: Check = (value) => words === undefined || words.includes(value as string);
  if (type === 'integer')
    return (value) =>
      Number.isInteger(value) &&
      minimum <= Number(value) &&
      Number(value) <= maximum &&
      fits(value);
  if (type !== 'string' && type !== 'boolean') return undefined;
  return (value) => typeof value === type && fits(value);
}

function hasOnly(schema: object, keys: readonly string[]): boolean {
  return Object.keys(schema).every((key) => keys.includes(key));
}

/** Returns the validator of the sections of a request. */
export async function compile(
  sections: Readonly<Record<string, TSchema>>,
  isBodyRequired: boolean,
): Promise<ValidateFunction> {
  // Only the default import works in the bundle: a CommonJS library has no named exports there.
  const { default: library } = await import('ajv/dist/2020.js');
  const ajv = new library.Ajv2020({
    allErrors: true,
    useDefaults: true,
    verbose: true,
    // The schemas have keywords of OpenAPI in addition to those of JSON Schema.
    strict: false,
    logger: false,
    // The tests of the document check the schemas; checking them here takes ten times as long as compiling.
    meta: false,
    validateSchema: false,
    formats: { date: isCalendarDate, 'date-time': isDateTime, int64: true },
    // Takes a tenth of the time of compiling, and V8 does the same when a validator is used often.
    code: { optimize: false },
  });
  return ajv.compile({
    type: 'object',
    properties: sections,
    required: isBodyRequired ? ['body'] : [],
    // References start at the root of the document. The library walks through all that it gets.
    components: { schemas: componentsIn(Object.values(sections)) },
  });
}

interface ReadValues {
  readonly path: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  body?: unknown;
}

interface SentParts {
  readonly sent: Sent;
  readonly query: QueryString;
  readonly schema: TObject;
}

function problemsOf(
  validate: ValidateFunction | null,
  values: ReadValues,
  { sent, query, schema }: SentParts,
): ErrorDetail[] {
  const isValid = validate === null || validate(values);
  const texts = { path: sent.path, query: query.values };
  return [
    ...query.problems,
    ...[...query.repeated].filter((name) => name in schema.properties).map(repeatedProblem),
    ...(isValid ? [] : explainErrors(validate.errors ?? [], texts)),
    ...rangeProblems(values.query),
    ...textProblems(values.body, '/body'),
  ];
}

function repeatedProblem(name: string): ErrorDetail {
  return {
    errMsg: `Query parameter ${name} must be sent once, not several times`,
    instancePath: `/query/${name}`,
    schemaPath: `#/properties/query/properties/${name}`,
    keyword: 'repeated',
    params: { parameter: name },
  };
}

/** Query parameters that begin and end a range of dates or instants. */
const ranges = [
  ['start_date', 'end_date'],
  ['from', 'to'],
] as const;

/** Every operation with a range refuses one that ends before it starts. */
function rangeProblems(query: Record<string, unknown>): ErrorDetail[] {
  return ranges.flatMap(([first, last]) => {
    const [start, end] = [query[first], query[last]];
    if (typeof start !== 'string' || typeof end !== 'string') return [];
    const [from, to] = [toInstant(start), toLastInstant(end)];
    if (from === null || to === null || from <= to) return [];
    return [
      {
        errMsg: `Query parameter ${first} must not be later than ${last} "${end}", not "${start}"`,
        instancePath: `/query/${first}`,
        schemaPath: `#/properties/query/properties/${first}/formatMaximum`,
        keyword: 'formatMaximum',
        params: { comparison: '<=', limit: end },
      },
    ];
  });
}

/** Not every engine stores NUL characters and halves of surrogate pairs unchanged. */
function textProblems(value: unknown, instancePath: string): ErrorDetail[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, part]) =>
      textProblems(part, `${instancePath}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
  if (typeof value !== 'string' || isStorable(value)) return [];
  return [
    {
      errMsg: `Body property ${instancePath.slice('/body/'.length)} must not contain NUL characters or halves of surrogate pairs`,
      instancePath,
      schemaPath: '#/properties/body',
      keyword: 'storableText',
      params: {},
    },
  ];
}
