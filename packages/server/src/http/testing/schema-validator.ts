import { Ajv2020 } from 'ajv/dist/2020.js';

export type Validator = (value: unknown) => string[];

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

const ajv = new Ajv2020({
  allErrors: true,
  // OpenAPI documents have more keywords than JSON Schema.
  strict: false,
  validateSchema: false,
  formats: {
    date: isDay,
    'date-time': (text: string) => instantPattern.test(text) && isDay(text.slice(0, 10)),
    int32: true,
    int64: true,
    double: true,
    float: true,
    uri: true,
    email: true,
  },
});

/** The id of each set of components, each of which is compiled once. */
const documents = new Map<unknown, string>();

/** Compiles a schema whose references start with `#/components`. Throws when it is not a schema. */
export function validatorOf(schema: object, components: unknown): Validator {
  const id = documents.get(components) ?? `document-${documents.size}`;
  if (!documents.has(components)) ajv.addSchema({ $id: id, components });
  documents.set(components, id);
  const text = JSON.stringify(schema).replaceAll('"#/components/', `"${id}#/components/`);
  for (const [, reference = ''] of text.matchAll(/"\$ref":"([^"]*)"/g)) ajv.getSchema(reference);
  const compiled = ajv.compile(JSON.parse(text) as object);
  return (value) =>
    compiled(value)
      ? []
      : (compiled.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function isDay(text: string): boolean {
  const [, year, month, day] = datePattern.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return year >= 1 && days !== undefined && day >= 1 && day <= days;
}
