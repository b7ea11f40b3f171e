import type { CustomTypesConfig } from 'pg';

/** The type of `varchar`. No column has it: a statement casts to it what it wants as bytes of UTF-8. */
const bytesOid = 1043;

/** How values of a type are read from PostgreSQL's text format, by the type's object id. */
const parsers = new Map<number, (text: string) => unknown>([
  [17, readBytes],
  [20, readInteger],
  [21, Number],
  [23, Number],
  [bytesOid, (text) => Buffer.from(text)],
]);

const readText = (text: string): string => text;

/** Integers as numbers, `bytea` as a Buffer, text as strings. Throws for an integer beyond ±(2^53 − 1). */
export const wireTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number) =>
    parsers.get(oid) ?? readText) as CustomTypesConfig['getTypeParser'],
};

function readInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new Error(`Cannot take the integer ${text}: it is beyond 2^53`);
}

/** In either form that a server, a database or a user can be set to write bytes in (`bytea_output`). */
function readBytes(text: string): Buffer {
  if (text.startsWith(String.raw`\x`)) return Buffer.from(text.slice(2), 'hex');
  const characters = text.replaceAll(/\\(\\|[0-7]{3})/g, (_, code: string) =>
    code === '\\' ? code : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return Buffer.from(characters, 'latin1');
}
