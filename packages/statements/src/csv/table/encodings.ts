import { listOf } from '../../statement/texts.ts';
import { decode } from '../../bytes/content.ts';
import { headerName } from './header-names.ts';

/** Encodings of banks that do not write UTF-8, the most common first. */
const ENCODINGS = listOf(
  'windows-1252 windows-1250 windows-1251 shift_jis gb18030 big5 euc-kr windows-1255',
  'windows-1253 windows-1254 windows-1256 windows-1257 ibm866',
);

/**
 * The likely encoding of text that is not UTF-8, by its first bytes: the one in which the first lines have the most
 * known names of columns; among equals, the one with the fewest signs inside words, such as `spo¿ywczy`.
 */
export function likelyEncoding(bytes: Uint8Array): string {
  const scored = ENCODINGS.map((encoding) => ({ encoding, ...score(bytes, encoding) }));
  const best = scored.reduce((a, b) => (isBetter(b, a) ? b : a));
  return best.encoding;
}

interface Score {
  names: number;
  oddSigns: number;
}

function isBetter(a: Score, b: Score): boolean {
  return a.names > b.names || (a.names === b.names && a.oddSigns < b.oddSigns);
}

function score(bytes: Uint8Array, encoding: string): Score {
  try {
    const text = [...decode([bytes], encoding)].join('');
    return { names: namesIn(text), oddSigns: oddSignsIn(text) };
  } catch {
    return { names: -1, oddSigns: Infinity };
  }
}

/** The most known names in one of the first lines. */
function namesIn(text: string): number {
  const lines = text.slice(0, 20_000).split(/[\r\n]+/, 50);
  const counts = lines.map((line) => {
    const cells = line.slice(0, 5000).split(/[,;\t|]/);
    return cells.filter((cell) => cell !== '' && Object.keys(headerName(cell).ranks).length > 0)
      .length;
  });
  return Math.max(0, ...counts);
}

/** Signs beyond ASCII next to letters, where other encodings have letters. */
function oddSignsIn(text: string): number {
  return (
    text.match(
      /(?<=\p{L})[^\p{L}\p{M}\s\x21-\x7e’‘“”–—…°·]\p{L}|[\x80-\x9f]|(?<!\S)[¯³¹¾¼ª¥]\p{L}/gu,
    )?.length ?? 0
  );
}
