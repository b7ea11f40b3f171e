import type { ValidateFunction } from 'ajv/dist/2020.js';
import { isCalendarDate, isDateTime } from './calendar.ts';
import { Problem, type ErrorDetail } from './errors.ts';
import type {
  OpenApiDocument,
  Operation,
  Parameter,
  ParameterValue,
  Schema,
} from './openapi-document.ts';
import { bodyProblems } from './no-body.ts';
import { parseQueryString, type QueryString } from './query-string.ts';
import { conforms, targetOf } from './quick-check.ts';
import { explainErrors } from './validation-errors.ts';

/** The parameters of a request after validation, defaults filled in. */
export interface Parameters {
  readonly path: Values;
  readonly query: Values;
}

export type Values = Readonly<Record<string, ParameterValue>>;

/**
 * Reads the parameters of a request, or throws a {@link Problem} that names everything wrong with them, and with a body
 * where there should be none.
 */
export type ParameterReader = (
  query: string,
  path: Readonly<Record<string, string>>,
  body?: unknown,
) => Promise<Parameters>;

const integerPattern = /^(0|-?[1-9][0-9]{0,15})$/;

/**
 * Makes the reader of an operation's parameters, which obeys what the API document says of them.
 *
 * `query` is the text after the `?`; `path` has the decoded parts of the path. Text becomes an integer only if it
 * is one in plain digits that a double holds exactly (no sign but `-`, no leading zeros, no exponent), a boolean
 * only if it is `true` or `false`. Everything else stays text and breaks the schema. Nothing is clamped, coerced or
 * dropped: unknown and repeated names are problems, and all problems come in one answer. A quick check
 * lets through what is in order; the full validator is loaded when a request first needs it, to find and explain
 * everything that is wrong.
 */
export function parameterReader(document: OpenApiDocument, operation: Operation): ParameterReader {
  const parameters = operation.parameters ?? [];
  const sections = { path: sectionOf(parameters, 'path'), query: sectionOf(parameters, 'query') };
  const checksNothing = Object.keys(sections.path.properties).length === 0;
  let compiled: Promise<ValidateFunction> | undefined;
  return async (queryText, path, body) => {
    const sent = parseQueryString(queryText);
    const read = {
      path: convert(path, sections.path, document),
      query: convert(sent.values, sections.query, document),
    };
    const ofBody = bodyProblems(body);
    if (ofBody.length === 0) {
      if (queryText === '' && checksNothing && sections.query.required.length === 0) return read;
      if (isInOrder(read, sent, sections, document)) return read;
    }
    compiled ??= compile(sections, document);
    const problems = [...problemsOf(await compiled, read, { path, sent, sections }), ...ofBody];
    if (problems.length > 0) throw new Problem('validation', { details: problems });
    return read;
  };
}

/** A place where parameters stand, as the schema of an object with a key for each of them. */
interface Section {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

type Sections = Readonly<Record<'path' | 'query', Section>>;

interface Sent {
  readonly path: Readonly<Record<string, string>>;
  readonly sent: QueryString;
  readonly sections: Sections;
}

function sectionOf(all: readonly Parameter[], place: string): Section {
  const here = all.filter((parameter) => parameter.in === place);
  return {
    type: 'object',
    properties: Object.fromEntries(here.map(({ name, schema }) => [name, schema])),
    required: here.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function convert(
  texts: Readonly<Record<string, string>>,
  { properties }: Section,
  document: OpenApiDocument,
): Values {
  const values = Object.create(null) as Record<string, ParameterValue>;
  for (const [name, schema] of Object.entries(properties)) {
    if (schema.default !== undefined) values[name] = schema.default;
  }
  for (const name of Object.keys(texts)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    values[name] = convertText(texts[name]!, schema && typeOf(schema, document));
  }
  return values;
}

function convertText(text: string, type: string | undefined): ParameterValue {
  if (type === 'integer' && integerPattern.test(text)) {
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : text;
  }
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function typeOf(schema: Schema, document: OpenApiDocument): string | undefined {
  if (schema.$ref === undefined) return schema.type;
  return typeOf(targetOf(schema.$ref, document), document);
}

/** True for nearly every request; anything else goes through the full validator, which may still find it valid. */
function isInOrder(
  read: Parameters,
  sent: QueryString,
  sections: Sections,
  document: OpenApiDocument,
): boolean {
  if (sent.problems.length > 0 || sent.repeated.size > 0) return false;
  if (dateOrderProblems(read.query).length > 0) return false;
  return (['path', 'query'] as const).every((place) => {
    const { properties, required } = sections[place];
    const values = read[place];
    const isValid = (name: string): boolean => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return schema !== undefined && conforms(values[name], schema, document);
    };
    return (
      required.every((name) => Object.hasOwn(values, name)) && Object.keys(values).every(isValid)
    );
  });
}

async function compile(sections: Sections, document: OpenApiDocument): Promise<ValidateFunction> {
  // By its default alone: in the bundle a library of the older kind has no named exports.
  const { default: library } = await import('ajv/dist/2020.js');
  const ajv = new library.Ajv2020({
    allErrors: true,
    // The document's schemas have keywords of OpenAPI beside those of JSON Schema.
    strict: false,
    logger: false,
    // The document is checked by its own tests; checking it here costs ten times what compiling does.
    meta: false,
    validateSchema: false,
    formats: { date: isCalendarDate, 'date-time': isDateTime, int64: true },
  });
  // References of the document begin at its root, where `components` stands.
  return ajv.compile({ type: 'object', properties: sections, components: document.components });
}

function problemsOf(validate: ValidateFunction, read: Parameters, sent: Sent): ErrorDetail[] {
  const isValid = validate(read);
  const texts = { path: sent.path, query: sent.sent.values };
  return [
    ...sent.sent.problems,
    ...[...sent.sent.repeated]
      .filter((name) => Object.hasOwn(sent.sections.query.properties, name))
      .map(repeatedProblem),
    ...(isValid ? [] : explainErrors(validate.errors ?? [], texts)),
    ...dateOrderProblems(read.query),
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

/** A range that ends before it begins is a mistake of the caller's, wherever a range can be asked for. */
function dateOrderProblems({ start_date: start, end_date: end }: Values): ErrorDetail[] {
  if (typeof start !== 'string' || typeof end !== 'string') return [];
  if (!isCalendarDate(start) || !isCalendarDate(end) || start <= end) return [];
  return [
    {
      errMsg: `Query parameter start_date must not be later than end_date "${end}", not "${start}"`,
      instancePath: '/query/start_date',
      schemaPath: '#/properties/query/properties/start_date/formatMaximum',
      keyword: 'formatMaximum',
      params: { comparison: '<=', limit: end },
    },
  ];
}
