import type { ErrorDetail } from '../problem.ts';
import { quote, shorten } from '@coffer/core/text';

/** The parameters of a query string, as text. */
export interface QueryString {
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
