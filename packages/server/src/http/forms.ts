import type { MultipartForm, Upload } from '../operations/multipart.ts';
import { Problem } from '../operations/problem.ts';

const maxParts = 20;
const maxPartHeaderBytes = 8192;
const maxBoundaryLength = 70;
/** Some clients send a form under the media type of JSON, without the boundary that separates its parts. */
const firstLine = /^--([\w'()+,./:=?-]{1,70})\r\n/;

/**
 * Parses a body of the type multipart/form-data. The boundary is that of the media type, or else the first line of the
 * body, because some clients send forms under another type. Returns null if the body is not a form.
 *
 * Throws a Problem for a form that cannot be parsed, and for one with more than 20 parts. Node parses it.
 *
 * Source: RFC 7578; RFC 2046, 5.1.1; the client of the API that Coffer is compatible with.
 */
export async function parseForm(bytes: Buffer, type: string): Promise<MultipartForm | null> {
  const boundary = boundaryOf(bytes, type);
  if (boundary === null) return null;
  refuseExcess(bytes, boundary);
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  let form: FormData;
  try {
    // Deprecated for servers, because it reads the whole body: here the body is read already, and bounded.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    form = await new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData();
  } catch {
    throw malformed('The body is not a complete form of the type multipart/form-data');
  }
  return Promise.all([...form].map(async ([name, value]) => [name, await valueOf(value)] as const));
}

function boundaryOf(bytes: Buffer, type: string): string | null {
  if (/^\s*multipart\/form-data\s*;/i.test(type)) {
    const [, quoted, plain] = /;\s*boundary=(?:"([^"\\]+)"|([^\s";]+))/i.exec(type) ?? [];
    const boundary = quoted ?? plain;
    if (boundary !== undefined && boundary.length <= maxBoundaryLength) return boundary;
    throw malformed('The media type multipart/form-data needs a boundary of at most 70 characters');
  }
  const start = bytes.toString('latin1', 0, maxBoundaryLength + 4);
  return firstLine.exec(start)?.[1] ?? null;
}

/** Counts parts and their headers before they are parsed, because a hostile body has millions of them. */
function refuseExcess(bytes: Buffer, boundary: string): void {
  const delimiter = Buffer.from(`--${boundary}`);
  let parts = 0;
  for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, at + 1)) {
    parts += 1;
    const start = bytes.subarray(at, at + maxPartHeaderBytes);
    const isLast = start.toString('latin1', delimiter.length, delimiter.length + 2) === '--';
    if (parts > maxParts + 1 || !(isLast || start.includes('\r\n\r\n')))
      throw malformed(`A form may have ${maxParts} parts, each with at most 8 KiB of headers`);
  }
}

async function valueOf(value: string | File): Promise<string | Upload> {
  if (typeof value === 'string') return value;
  const { name, type } = value;
  return { name, type, bytes: new Uint8Array(await value.arrayBuffer()) };
}

function malformed(errMsg: string): Problem {
  return new Problem('malformedRequest', { details: [{ errMsg }] });
}
