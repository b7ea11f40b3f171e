import { repeated, flood, hostile, type HostileFile } from './hostile-content.ts';

const gigabyte = 2 ** 30;
const header = 'OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:USASCII\nCHARSET:1252\n\n';
const open =
  '<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKACCTFROM><BANKID>1<ACCTID>12345678' +
  '<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>';
const entry = '<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20240131<TRNAMT>-5.00<FITID>ABC12345<NAME>';
const close = '</STMTTRN></BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>';

function ofx(name: string, before = ''): string {
  return `${header}${before}${open}${entry}${name}${close}`;
}

function xml(doctype: string, name: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${doctype}\n${open}${entry}${name}${close}`;
}

export function laughs(levels: number): string {
  const lines = Array.from({ length: levels }, (_, at) => {
    const value = at === 0 ? 'ha' : `&l${at - 1};`.repeat(10);
    return `<!ENTITY l${at} "${value}">`;
  });
  return `<!DOCTYPE OFX [${lines.join('\n')}]>`;
}

const declared = /Document types and entities are not supported/;
const tooLong = /is longer than 65536 characters/;

/** Returns SGML and XML files; `url` is an address that must get no request. */
export function hostileMarkup(url: string): HostileFile[] {
  return [...declarations(url), ...texts(url), ...endlessMarkup()];
}

function declarations(url: string): HostileFile[] {
  return [
    hostile(
      'xxe-file.ofx',
      xml('<!DOCTYPE OFX [<!ENTITY x SYSTEM "file:///etc/passwd">]>', '&x;'),
      declared,
    ),
    hostile('billion-laughs.ofx', xml(laughs(10), '&l9;'), declared),
    hostile(
      'parameter-entity.ofx',
      xml(`<!DOCTYPE OFX [<!ENTITY % p SYSTEM "${url}">%p;]>`, 'x'),
      declared,
    ),
    hostile(
      'quadratic-entity.ofx',
      xml(`<!DOCTYPE OFX [<!ENTITY q "${'q'.repeat(100_000)}">]>`, '&q;'.repeat(20_000)),
      declared,
    ),
    hostile(
      'billion-laughs.xml',
      xml(laughs(10), '&l9;').replaceAll('OFX', 'Document'),
      /Quote is never closed/,
    ),
    hostile('xxe-http.ofx', xml(`<!DOCTYPE OFX [<!ENTITY x SYSTEM "${url}">]>`, '&x;'), declared),
    hostile('external-dtd.ofx', xml(`<!DOCTYPE OFX SYSTEM "${url}/ofx.dtd">`, 'x'), declared),
    hostile('public-dtd.ofx', xml(`<!DOCTYPE OFX PUBLIC "-//X//EN" "${url}">`, 'x'), declared),
    hostile('doctype-in-value.ofx', ofx('x<!DOCTYPE y [<!ENTITY z "z">]>&z;'), declared),
    hostile('entity-in-header.ofx', ofx('&a;', '<!ENTITY a "aaaa">'), declared),
    hostile('marked-section.ofx', ofx('<![INCLUDE[x]]>'), declared),
  ];
}

function texts(url: string): HostileFile[] {
  return [
    hostile('xinclude.ofx', ofx('x<xi:include href="file:///etc/passwd" parse="text"/>'), 1),
    hostile('stylesheet.ofx', ofx('x', `<?xml-stylesheet href="${url}"?>`), 1),
    hostile('unknown-references.ofx', ofx('&x; &#0; &#xD800; &#1114112; &#99999999;'), 1),
    hostile('utf-7.ofx', ofx('+ADwAIQ-DOCTYPE x+AD4-'), 1),
    hostile('escapes-in-value.ofx', ofx('\u001b[2J\u0007\u202e'), 1),
    hostile('utf-16-marked.ofx', Buffer.from(`\uFEFF${ofx('Łódź')}`, 'utf16le'), 1),
    hostile('utf-16-unmarked.ofx', Buffer.from(ofx('x'), 'utf16le'), 1),
    hostile('nul.ofx', ofx('x\0y'), /NUL character/),
    hostile('cut-off.ofx', ofx('x').slice(0, -57), /Is never closed/),
    hostile('header-alone.ofx', header, /has no account statement/),
    hostile('tag-cut.ofx', ofx('x').slice(0, -1), /ends within a tag/),
    hostile(
      'wrong-amounts.ofx',
      `${header}${open}${`${entry.replace('-5.00', 'five')}x</STMTTRN>`.repeat(20_000)}${close.slice(10)}`,
      /Not an amount[^]*and 19,900 more/,
    ),
  ];
}

function endlessMarkup(): HostileFile[] {
  return [
    flood('deep-tags.ofx', header + open, '<A>', /nested deeper than 64/),
    flood('deep-known-tags.ofx', header + open + entry, '<PAYEE>', /nested deeper than 64/),
    flood(
      'entries-unclosed.ofx',
      header + open,
      '<STMTTRN>',
      /Is not closed before the <STMTTRN>/,
      { length: 3_000_000 },
    ),
    flood('huge-tag-name.ofx', `${header}<`, 'A', /Tag is longer than 256/, {
      sparseBytes: gigabyte,
    }),
    flood('huge-attribute.ofx', `${header}<OFX x="`, 'A', /Tag is longer than 256/, {
      sparseBytes: gigabyte,
    }),
    flood('many-attributes.ofx', `${header}<OFX`, ' a="b"', /Tag is longer than 256/, {
      length: 10_000_000,
    }),
    flood('huge-value.ofx', header + open + entry, 'v', tooLong, { sparseBytes: gigabyte }),
    flood('references-without-end.ofx', header + open + entry, '&amp;', tooLong),
    flood('signs-without-end.ofx', header + open + entry, '<', tooLong),
    flood('blanks-without-end.ofx', header + open, ' ', tooLong),
    flood('comment-without-end.ofx', `${header}<!-`, '-', tooLong),
    flood('cdata-without-end.ofx', `${header}${open}${entry}<![CDATA[`, ']', tooLong),
    flood('instruction-without-end.ofx', `${header}<?`, '?', tooLong),
    hostile(
      'one-id-for-all.ofx',
      repeated(`${entry}x</STMTTRN>`, 2_000, header + open, close.slice(10)),
      2_000,
    ),
  ];
}
