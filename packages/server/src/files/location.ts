/** A folder of this machine. */
export interface FolderLocation {
  readonly kind: 'folder';
  readonly path: string;
}

/** A bucket of a server that speaks the protocol of Amazon S3. */
export interface S3Location {
  readonly kind: 's3';
  /** Such as `https://s3.example.org`, without a slash at the end. */
  readonly origin: string;
  readonly bucket: string;
  /** The beginning of all names, with a slash at the end; empty for the whole bucket. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Where files are kept. */
export type FilesLocation = FolderLocation | S3Location;

const usage = 's3://KEY:SECRET@HOST/BUCKET?region=REGION';
const defaultRegion = 'us-east-1';

/**
 * Reads where files are kept: a path, a `file:` URL, or `s3://KEY:SECRET@HOST[:PORT]/BUCKET[/PREFIX][?region=REGION]`,
 * with `s3+http` for a server without TLS. Returns null for an empty text.
 *
 * Throws an Error for anything else, without quoting a secret.
 */
export function parseFilesLocation(text: string): FilesLocation | null {
  if (text === '') return null;
  if (/^s3(\+http)?:/.test(text)) return parseS3(text);
  if (text.startsWith('file:')) return { kind: 'folder', path: pathOf(text) };
  // A drive letter is not a scheme.
  const [, scheme] = /^([a-z][a-z0-9+.-]+):/i.exec(text) ?? [];
  if (scheme === undefined) return { kind: 'folder', path: text };
  throw new Error(`Cannot keep files at a URL of the kind "${scheme}": use a folder or ${usage}`);
}

function pathOf(text: string): string {
  const url = URL.parse(text);
  if (url?.host !== '') throw new Error(`Not the URL of a folder: "${text}"`);
  return decoded(url.pathname);
}

function parseS3(text: string): S3Location {
  // URLs with a scheme that the parser does not know may have no port.
  const scheme = text.startsWith('s3+http:') ? 'http:' : 'https:';
  const url = URL.parse(scheme + text.slice(text.indexOf(':') + 1));
  const [, bucket = '', ...names] = url?.pathname.replace(/\/$/, '').split('/') ?? [];
  const accessKey = decoded(url?.username ?? '');
  const secretKey = decoded(url?.password ?? '');
  if (url === null || accessKey === '' || secretKey === '')
    throw new Error(`Use a URL of the form ${usage}`);
  if (![bucket, ...names].every((name) => /^[\w-][\w.-]*$/.test(name)))
    throw new Error('The bucket and the names after it may have letters, digits and -._ only');
  const { region, ...others } = { region: defaultRegion, ...Object.fromEntries(url.searchParams) };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`Unknown parameter "${unknown}": use ${usage}`);
  if (!/^[\w-]+$/.test(region)) throw new Error(`Invalid region "${region}"`);
  const prefix = names.map((name) => `${name}/`).join('');
  return { kind: 's3', origin: url.origin, bucket, prefix, region, accessKey, secretKey };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('Special characters of the URL must be percent-encoded');
  }
}
