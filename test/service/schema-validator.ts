import { createRequire } from 'node:module';

/** Returns a line for each problem of a value; none when it is valid. */
export type Validator = (value: unknown) => string[];

/** The parts of the validator's library that are used here. */
interface Library {
  readonly Ajv2020: new (options: object) => { compile(schema: object): Compiled };
}

interface Compiled {
  (value: unknown): boolean;
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}

// The library is a dependency of the server's package, so it is resolved from there.
const serverRequire = createRequire(new URL('../../packages/server/src/main.ts', import.meta.url));
const { Ajv2020 } = serverRequire('ajv/dist/2020.js') as Library;

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
    uri: true,
    email: true,
  },
});

/** Compiles a schema whose references start with `#/components`. Throws when it is not a schema. */
export function validatorOf(schema: object, components: unknown): Validator {
  const compiled = ajv.compile({ allOf: [schema], components });
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
