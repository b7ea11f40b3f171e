import { Type, type Static } from 'typebox';
import { anyObject, reference } from './schema.ts';

/** One problem of a refused request. Kinds of error may add keys of their own. */
export const ErrorDetail = Type.Object(
  {
    errMsg: Type.String({
      description: 'What is wrong, in words for a person. Programs should not compare it.',
    }),
    instancePath: Type.Optional(
      Type.String({
        description:
          'Which value is wrong: `/query/limit` for a query parameter, `/path/id` for a part of the path; ' +
          '`/query` or `/body` alone when a parameter or a property should not be there.',
      }),
    ),
    schemaPath: Type.Optional(
      Type.String({
        description:
          'The rule that the value breaks, such as `#/properties/query/properties/limit/maximum`.',
      }),
    ),
    keyword: Type.Optional(
      Type.String({
        description:
          'The JSON Schema keyword of that rule: `type`, `minimum`, `maximum`, `enum`, `format`, `additionalProperties`.',
      }),
    ),
    params: Type.Optional(
      anyObject(
        'What the rule asks for: for example `allowedValues`, `limit`, `type`, or the `additionalProperty` that was found.',
      ),
    ),
  },
  {
    title: 'Error detail',
    description:
      'One problem. `errMsg` is always there; a problem found by a schema also has the other four keys; ' +
      'further keys may name the value concerned.',
    additionalProperties: true,
  },
);
/** One entry of `errors`, with the keys that a kind of error adds. */
export type ErrorDetail = Static<typeof ErrorDetail> & Record<string, unknown>;

/** The body of every answer with a status from 400 up. */
export const ErrorBody = Type.Object(
  {
    message: Type.String({
      description:
        'The class of the error, such as `Not Found`. The same for all errors of a class.',
    }),
    errors: Type.Array(reference<ErrorDetail>('ErrorDetail'), {
      minItems: 1,
      description: 'The problems found: all of them, not only the first. Never empty.',
    }),
  },
  {
    title: 'Error',
    description: 'Why a request was refused. A refused request has changed nothing.',
    additionalProperties: true,
  },
);
export type ErrorBody = Static<typeof ErrorBody>;
