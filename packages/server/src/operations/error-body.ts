import { Type, type Static } from 'typebox';
import { anyObject, component, optional, reference, text } from './schema.ts';

/** One problem of a refused request. Kinds of error may add their own keys. */
const detail = Type.Object(
  {
    errMsg: text('What is wrong, in words for people; programs should not compare it.'),
    instancePath: optional(
      text(
        'Which value is wrong, such as `/query/limit`, `/path/id` or `/body/name`; ' +
          '`/query` or `/body` for an unknown name.',
      ),
    ),
    schemaPath: optional(
      text('Rule that the value breaks, such as `#/properties/query/properties/limit/maximum`.'),
    ),
    keyword: optional(text('JSON Schema keyword of the rule, such as `maximum` or `enum`.')),
    params: optional(
      anyObject(
        'What the rule requires, such as `limit` or `allowedValues`, or the `additionalProperty` found.',
      ),
    ),
  },
  {
    title: 'Error detail',
    description:
      'One problem. A problem found by a schema has all five keys. Other problems may have their own keys.',
    additionalProperties: true,
  },
);
/** An entry of `errors`, with the keys that a kind of error adds. */
export type ErrorDetail = Static<typeof detail> & Record<string, unknown>;
export const ErrorDetail = component('ErrorDetail', Type.Unsafe<ErrorDetail>(detail));

/** The body of responses with a status from 400 up. */
export const ErrorBody = component(
  'ErrorBody',
  Type.Object(
    {
      message: text('Class of the error, such as `Not Found`.'),
      errors: Type.Array(reference(ErrorDetail), {
        minItems: 1,
        description: 'All problems found, at least one.',
      }),
    },
    {
      title: 'Error',
      description: 'Why a request was refused.',
      additionalProperties: true,
    },
  ),
);
export type ErrorBody = Static<typeof ErrorBody>;
