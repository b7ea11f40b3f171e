const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  copy: '©',
  reg: '®',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  minus: '−',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  ecirc: 'ê',
  euml: 'ë',
  Eacute: 'É',
  agrave: 'à',
  acirc: 'â',
  aacute: 'á',
  atilde: 'ã',
  aring: 'å',
  aelig: 'æ',
  ccedil: 'ç',
  Ccedil: 'Ç',
  iacute: 'í',
  icirc: 'î',
  iuml: 'ï',
  ntilde: 'ñ',
  Ntilde: 'Ñ',
  oacute: 'ó',
  ocirc: 'ô',
  otilde: 'õ',
  oslash: 'ø',
  uacute: 'ú',
  ugrave: 'ù',
  ucirc: 'û',
  Aacute: 'Á',
  Oacute: 'Ó',
  Uacute: 'Ú',
  Iacute: 'Í',
  Atilde: 'Ã',
  Otilde: 'Õ',
  Aring: 'Å',
  Oslash: 'Ø',
  ordm: 'º',
  ordf: 'ª',
};

/** The text of HTML between two tags: named and numeric references become characters; unknown ones stay. */
export function textOf(source: string): string {
  if (!source.includes('&')) return source;
  return source.replace(/&(#x[\da-f]{1,6}|#\d{1,7}|[a-z]{2,8});?/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return Object.hasOwn(NAMED, name) ? NAMED[name]! : whole;
    const isHex = /^#x/i.test(name);
    return character(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10)) ?? whole;
  });
}

function character(code: number): string | null {
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return code === 0 || code > 0x10ffff || isSurrogate ? null : String.fromCodePoint(code);
}
