import type { ErrorDetail } from '../problem.ts';
import { quote, shorten } from '@coffer/core/text';

/** A query string taken apart, nothing converted. */
export interface QueryString {
  /** The first value of each name. Without a prototype, so every name is only a name. */
  readonly values: Record<string, string>;
  /** Names that were sent more than once. */
  readonly repeated: ReadonlySet<string>;
  /** What could not be decoded. */
  readonly problems: readonly ErrorDetail[];
}

/** RFC 3986 allows less, but browsers send more; whatever is not printable ASCII, and `#`, must be encoded. */
const allowedPattern = /^[!"$-~]*$/;

/**
 * Takes a query string apart, strictly.
 *
 * `text` is what stands after the `?`. Parameters are parted by `&`, name and value by the first `=`; `+` is a
 * space, as forms and URLSearchParams write it. A name without `=` has an empty value; empty parameters are
 * skipped. Names and values must be percent-encoded UTF-8: what is not is named in `problems`. Brackets mean
 * nothing: `limit[]` is another name than `limit`.
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
