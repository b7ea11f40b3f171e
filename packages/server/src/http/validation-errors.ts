import type { ErrorObject } from 'ajv';
import type { ErrorDetail } from './errors.ts';
import { quote } from './quote.ts';

/** The texts that were sent, by place and name. */
export type SentTexts = Readonly<
  Record<'path' | 'query', Readonly<Record<string, string | undefined>>>
>;

/**
 * Says for people what the validator says for programs.
 *
 * Each detail names the parameter and quotes the text that was sent; `instancePath`, `schemaPath`, `keyword` and
 * `params` are the validator's own. Of a schema with alternatives, only the choice itself is reported, not each
 * alternative that failed.
 */
export function explainErrors(errors: readonly ErrorObject[], texts: SentTexts): ErrorDetail[] {
  const choices = errors.filter(isChoice);
  const isInside = (error: ErrorObject) => choices.some((choice) => isPartOf(error, choice));
  return errors
    .filter((error) => !isInside(error))
    .map((error) => {
      const parts = isChoice(error) ? errors.filter((part) => isPartOf(part, error)) : [error];
      const { instancePath, schemaPath, keyword, params } = error;
      return { errMsg: sentence(error, parts, texts), instancePath, schemaPath, keyword, params };
    });
}

function isChoice({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function isPartOf(part: ErrorObject, whole: ErrorObject): boolean {
  return part.schemaPath.startsWith(`${whole.schemaPath}/`);
}

function sentence(
  { instancePath, keyword, params }: ErrorObject,
  parts: readonly ErrorObject[],
  texts: SentTexts,
): string {
  const [, place = '', name = ''] = instancePath.split('/');
  if (keyword === 'additionalProperties') {
    return `Unknown ${place} parameter ${quote(String(params['additionalProperty']))}`;
  }
  if (keyword === 'required') return `Missing ${place} parameter ${params['missingProperty']}`;
  const text = texts[place as keyof SentTexts][name] ?? '';
  const subject = `${place === 'path' ? 'Path' : 'Query'} parameter ${name}`;
  return `${subject} must be ${parts.map(expectation).join(' or ')}, not ${quote(text)}`;
}

/** What the rule wants, as it reads after "must be". */
function expectation({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return typeWords[params['type'] as string] ?? `of type ${params['type']}`;
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
    case 'enum':
      return (params['allowedValues'] as unknown[])
        .map((value) => JSON.stringify(value))
        .join(' or ');
    default:
      return `as the API document says (${keyword}: ${message})`;
  }
}

const typeWords: Readonly<Record<string, string>> = {
  integer: 'a whole number in plain digits, at most 2^53 - 1',
  boolean: 'true or false',
};

const formatWords: Readonly<Record<string, string>> = {
  date: 'a date of the calendar YYYY-MM-DD',
  'date-time': 'a date-time YYYY-MM-DDThh:mm:ss with Z or an offset ("+" is sent as %2B)',
};
