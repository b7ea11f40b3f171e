import { endless, type Content } from './hostile-content.ts';

/** A file that means harm, and what is to become of it. */
export interface HostileFile {
  readonly name: string;
  readonly content: Content;
  /** What the refusal says, or how many transactions the file rightly has. */
  readonly becomes: RegExp | number;
  /** It has to be read to its end before it can be refused, so that its length sets the time. */
  readonly isLong?: true;
}

/** A file of one piece. */
export function hostile(
  name: string,
  text: string | Uint8Array,
  becomes: HostileFile['becomes'],
): HostileFile {
  return { name, content: { pieces: [text] }, becomes };
}

/** A file that goes on and on: a head, and behind it so many characters of one text over and over. */
export function flood(
  name: string,
  head: string | Uint8Array,
  text: string,
  length: number,
  becomes: HostileFile['becomes'],
): HostileFile {
  return { name, content: { pieces: endless(text, length, head) }, becomes };
}
