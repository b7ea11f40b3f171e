import fc, { type Arbitrary } from 'fast-check';
import type { RawRequest } from '../run/raw-connection.ts';

export interface WildBytes {
  readonly bytes: Buffer;
  /** The most 2xx responses: a smuggled request must get none. */
  readonly mostSuccesses: number;
}

/** Generates requests with bytes flipped, removed, doubled or inserted, several in one message, and smuggling. */
export function wildBytes(requests: Arbitrary<RawRequest>, token: string): Arbitrary<WildBytes> {
  const mutated = fc
    .tuple(
      fc.array(requests, { minLength: 1, maxLength: 3 }),
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
    )
    .map(([parts, mutations]) => {
      const bytes = Buffer.concat(parts.map((part) => part.bytes));
      return {
        bytes: mutations.reduce<Buffer>((sofar, mutate) => mutate(sofar), bytes),
        mostSuccesses: Infinity,
      };
    });
  const smuggled = fc.constantFrom(...smugglingForms(token)).map((text) => ({
    bytes: Buffer.from(text, 'latin1'),
    mostSuccesses: 0,
  }));
  return fc.oneof({ weight: 6, arbitrary: mutated }, { weight: 1, arbitrary: smuggled });
}

type Mutation = (bytes: Buffer) => Buffer;

const place = fc.double({ min: 0, max: 1, noNaN: true });
const hostile = [
  ...['\r\n', '\n', '\r', '\0', ' ', '\t', ':', '\r\n\r\n', 'HTTP/1.0', 'HTTP/2.0'],
  ...['\x16\x03\x01', 'Host: b\r\n', '\r\n \r\n'],
];
const mutation: Arbitrary<Mutation> = fc.oneof<Arbitrary<Mutation>[]>(
  fc
    .tuple(place, fc.integer({ min: 1, max: 255 }))
    .map(([where, mask]) => (bytes: Buffer): Buffer => {
      const copy = Buffer.from(bytes);
      const at = Math.floor(where * copy.length);
      if (at < copy.length) copy[at]! ^= mask;
      return copy;
    }),
  place.map(
    (where) =>
      (bytes: Buffer): Buffer =>
        bytes.subarray(0, Math.floor(where * bytes.length)),
  ),
  fc.tuple(place, place).map(([a, b]) => (bytes: Buffer): Buffer => {
    const [from = 0, to = 0] = [a, b]
      .map((each) => Math.floor(each * bytes.length))
      .toSorted((x, y) => x - y);
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  }),
  fc.tuple(place, fc.constantFrom(...hostile)).map(([where, text]) => (bytes: Buffer): Buffer => {
    const at = Math.floor(where * bytes.length);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(text, 'latin1'), bytes.subarray(at)]);
  }),
);

/** Requests that two parsers may end at different places; the second request must get no response. */
function smugglingForms(token: string): string[] {
  const inner = `GET /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const framings = [
    `Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n`,
    `Content-Length: 0\r\nContent-Length: ${inner.length}\r\n\r\n`,
    `Content-Length: 0, ${inner.length}\r\n\r\n`,
    `Content-Length: +0\r\n\r\n`,
    `Content-Length: 0x0\r\n\r\n`,
    `Content-Length: 0 0\r\n\r\n`,
    `Content-Length : 0\r\n\r\n`,
    `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    `Transfer-Encoding: identity, chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n`,
    `Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n`,
    `Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\n\r\n0\n\n`,
    `Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n`,
    `X: a\rContent-Length: 0\r\n\r\n`,
    `X: a\n\nContent-Length: 0\r\n\r\n`,
  ];
  const post = `POST /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n`;
  return framings.map((framing) => `${post}${framing}${inner}`);
}
