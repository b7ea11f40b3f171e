import type { ErrorObject } from 'ajv';
import { quote } from '@coffer/core/text';
import type { ErrorDetail } from '../problem.ts';

/** The keys of an index whose array has another name in errors. */
const indexKeys: Readonly<Record<string, string>> = {
  transactions: 'transaction_index',
  balances: 'request_balances_index',
};

/**
 * Returns the keys of the API for a problem inside an item of a body's array, such as `child_transactions_index`: the
 * index, and the property that is wrong. None for other problems.
 */
export function itemKeys({
  instancePath,
  keyword,
  params,
}: Pick<ErrorObject, 'instancePath' | 'keyword' | 'params'>): Record<string, unknown> {
  const [, place, array = '', index = '', ...names] = instancePath.split('/');
  if (place !== 'body' || !/^\d+$/.test(index)) return {};
  const key = indexKeys[array] ?? `${array}_index`;
  const isMissing = keyword === 'required';
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
  return {
    [key]: Number(index),
    ...(isMissing && { error: 'Missing required property' }),
    invalid_property: names[0] ?? missingProperty ?? additionalProperty ?? array,
  };
}

/** The texts that were sent in the path and the query, by place and name. */
export type SentTexts = Readonly<
  Record<'path' | 'query', Readonly<Record<string, string | undefined>>>
>;

/**
 * Adds texts for people to the errors of the validator.
 *
 * Each detail names the parameter or property and quotes the value that was sent; `instancePath`, `schemaPath`,
 * `keyword` and `params` are those of the validator. For a schema with alternatives there is one detail, not one for
 * each alternative.
 */
export function explainErrors(errors: readonly ErrorObject[], texts: SentTexts): ErrorDetail[] {
  const choices = errors.filter(isChoice);
  const isInside = (error: ErrorObject) => choices.some((choice) => isPartOf(error, choice));
  return errors
    .filter((error) => !isInside(error))
    .map((error) => {
      const parts = isChoice(error) ? errors.filter((part) => isPartOf(part, error)) : [error];
      const { instancePath, schemaPath, keyword, params } = error;
      const errMsg = sentence(error, parts, texts);
      return { errMsg, instancePath, schemaPath, keyword, params, ...itemKeys(error) };
    });
}

function isChoice({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function isPartOf(part: ErrorObject, whole: ErrorObject): boolean {
  return (
    part.schemaPath.startsWith(`${whole.schemaPath}/`) &&
    part.instancePath.startsWith(whole.instancePath)
  );
}

function sentence(error: ErrorObject, parts: readonly ErrorObject[], texts: SentTexts): string {
  const [, place = '', ...names] = error.instancePath.split('/');
  const subject = subjectOf(place, names);
  const { keyword, params } = error;
  if (keyword === 'additionalProperties')
    return `Unknown ${nounOf(place)} ${quote(String(params['additionalProperty']))}`;
  if (keyword === 'required') {
    const missing = String(params['missingProperty']);
    return place === '' ? 'Missing body' : `Missing ${nounOf(place)} ${missing}`;
  }
  if (keyword === 'dependentRequired') {
    const [missing, property] = [params['missingProperty'], params['property']].map(String);
    return `Missing ${nounOf(place)} ${missing}, which ${property} needs`;
  }
  return `${subject} must be ${[...new Set(parts.map(expectation))].join(' or ')}, not ${sentText(error, place, names, texts)}`;
}

function nounOf(place: string): string {
  return place === 'body' ? 'body property' : `${place} parameter`;
}

function subjectOf(place: string, names: readonly string[]): string {
  if (place !== 'body')
    return `${place === 'path' ? 'Path' : 'Query'} parameter ${names.join('/')}`;
  return names.length === 0 ? 'The body' : `Body property ${names.join('/')}`;
}

function sentText(
  { data }: ErrorObject,
  place: string,
  [name = '']: readonly string[],
  texts: SentTexts,
): string {
  if (place === 'path' || place === 'query') return quote(texts[place][name] ?? '');
  return typeof data === 'string'
    ? quote(data)
    : shortened(data === undefined ? 'nothing' : JSON.stringify(data));
}

function shortened(text: string): string {
  return quote(text).slice(1, -1).replaceAll('\\"', '"');
}

/** What the rule requires, as a text after "must be". */
function expectation({ keyword, params, message, instancePath }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return typeWords(params['type'] as string | string[], instancePath);
    case 'format':
      return formatWords[params['format'] as string] ?? `of the format ${params['format']}`;
    case 'minimum':
      return `at least ${params['limit']}`;
    case 'maximum':
      return `at most ${params['limit']}`;
    case 'minLength':
      return `at least ${params['limit']} ${params['limit'] === 1 ? 'character' : 'characters'} long`;
    case 'maxLength':
      return `at most ${params['limit']} characters long`;
    case 'minProperties':
      return `an object with at least ${params['limit']} ${params['limit'] === 1 ? 'property' : 'properties'}`;
    case 'pattern':
      return patternWords[params['pattern'] as string] ?? `of the form ${params['pattern']}`;
    case 'enum':
      return (params['allowedValues'] as unknown[])
        .map((value) => JSON.stringify(value))
        .join(' or ');
    default:
      return `as the API document requires (${keyword}: ${message})`;
  }
}

function typeWords(types: string | string[], instancePath: string): string {
  const isText = !instancePath.startsWith('/body');
  return [types]
    .flat()
    .map((type) => (isText ? textWords[type] : jsonWords[type]) ?? `of type ${type}`)
    .join(' or ');
}

const textWords: Readonly<Record<string, string>> = {
  integer: 'a whole number in plain digits, at most 2^53 - 1',
  boolean: 'true or false',
};

const jsonWords: Readonly<Record<string, string>> = {
  integer: 'an integer',
  boolean: 'true or false',
  string: 'a string',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

const formatWords: Readonly<Record<string, string>> = {
  date: 'a date of the calendar YYYY-MM-DD',
  'date-time': 'a date-time YYYY-MM-DDThh:mm:ss with Z or an offset (send "+" as %2B)',
};

const patternWords: Readonly<Record<string, string>> = {
  '\\S': 'more than blanks',
  '^[a-z]+( [A-Za-z0-9_.-]{1,60})?$': 'an actor such as "token 12" or "command"',
  '^[A-Za-z0-9][A-Za-z0-9 -]{0,60}$': 'the name of an operation',
  '^-?\\d+(\\.\\d{1,4})?$': 'a decimal with at most four decimals',
  '^-?\\d+(\\.\\d+)?$': 'a decimal',
  '^(0|[1-9]\\d{0,15})$': 'a version',
  '^(0|[1-9]\\d{0,15})(,(0|[1-9]\\d{0,15})){0,99}$': 'up to 100 ids with commas between them',
  '^[^\\u0000]*$': 'without the character U+0000',
  '^\\d+(\\.\\d{1,4})?$': 'a decimal without a sign, with at most four decimals',
  '^(?!0000)\\d{4}-(0[1-9]|1[0-2])$': 'a month YYYY-MM',
  '^(month|category|account)(,(month|category|account)){0,2}$':
    'one or more of "month", "category" and "account" with commas between them',
  '^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$': '3 or 6 hexadecimal digits',
};
