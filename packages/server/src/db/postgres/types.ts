import type { CustomTypesConfig } from 'pg';

/** The object id of `varchar`. No column has this type: statements cast to it to get text as bytes in UTF-8. */
const bytesOid = 1043;

/** Parsers for PostgreSQL's text format, by the object id of the type. */
const parsers = new Map<number, (text: string) => unknown>([
  [17, readBytes],
  [20, readInteger],
  [21, Number],
  [23, Number],
  [bytesOid, (text) => Buffer.from(text)],
]);

const readText = (text: string): string => text;

/** Reads integers as numbers, `bytea` as a Buffer, text as strings. Throws for an integer beyond ±(2^53 − 1). */
export const wireTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number) =>
    parsers.get(oid) ?? readText) as CustomTypesConfig['getTypeParser'],
};

function readInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new Error(`The integer ${text} is out of range: the limit is 2^53 - 1`);
}

/** Reads both forms of `bytea_output`, which can be set for a server, a database or a user. */
function readBytes(text: string): Buffer {
  if (text.startsWith(String.raw`\x`)) return Buffer.from(text.slice(2), 'hex');
  const characters = text.replaceAll(/\\(\\|[0-7]{3})/g, (_, code: string) =>
    code === '\\' ? code : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return Buffer.from(characters, 'latin1');
}
