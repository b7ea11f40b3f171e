import { singleBlanks } from '../text/journal.ts';

/** What a comment of ledger or hledger has. */
export interface Comment {
  /** Without tags and dates. */
  readonly text: string;
  readonly tags: readonly string[];
  /** Of `[2024/2/1]` or `date:2024-02-01`. */
  readonly date: string | null;
  /** The values of all keys, also of those that are no tags, such as `type:` of an account. */
  readonly values: ReadonlyMap<string, string>;
}

const MAX_TAG_LENGTH = 40;
const DATES = /\[([\d/.-]*)(?:=[\d/.-]+)?\]/;
const WORDS = /(^|\s):((?:[^\s:,]+:)+)(?=\s|$)/;
const PAIR = /(^|\s)(\p{L}[\p{L}\p{N}_-]*):(?![/:\\])(.*)$/su;

/**
 * Reads the comment of a transaction or posting. `:a:b:` are two tags; `key:` is the tag `key` and `key: value` the tag
 * `key:value`, up to the next comma. A value that is too long for a tag stays in the text.
 */
export function readComment(comment: string): Comment {
  const values = new Map<string, string>();
  const tags: string[] = [];
  const dates = DATES.exec(comment);
  const bare = dates === null ? comment : comment.replace(DATES, ' ');
  const kept = bare.split(',').map((piece) => readPiece(piece, tags, values));
  const text = kept.filter((piece) => piece !== '').join(', ');
  const date = values.get('date') ?? dates?.[1] ?? '';
  return { text, tags, date: date === '' ? null : date, values };
}

function readPiece(piece: string, tags: string[], values: Map<string, string>): string {
  const words = WORDS.exec(piece);
  if (words !== null) {
    tags.push(...words[2]!.split(':').filter((tag) => tag !== '' && tag.length <= MAX_TAG_LENGTH));
    return singleBlanks(piece.replace(WORDS, ' '));
  }
  const pair = PAIR.exec(piece);
  if (pair === null) return singleBlanks(piece);
  const key = pair[2]!;
  const value = singleBlanks(pair[3]!);
  values.set(key, value);
  const tag = value === '' ? key : `${key}:${value}`;
  if (/^date2?$|^type$/.test(key)) return singleBlanks(piece.slice(0, pair.index));
  if (tag.length > MAX_TAG_LENGTH) return singleBlanks(piece);
  tags.push(tag);
  return singleBlanks(piece.slice(0, pair.index));
}
