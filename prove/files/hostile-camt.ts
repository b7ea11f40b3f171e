import { repeated, flood, hostile, type HostileFile } from './hostile-content.ts';
import { laughs } from './hostile-markup.ts';

const gigabyte = 2 ** 30;
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
const open =
  '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>' +
  '<Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></Acct>';
const entry =
  '<Ntry><Amt Ccy="EUR">5.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>' +
  '<BookgDt><Dt>2024-01-31</Dt></BookgDt><AcctSvcrRef>ABC12345</AcctSvcrRef><AddtlNtryInf>';
const endOfEntry = '</AddtlNtryInf></Ntry>';
const close = '</Stmt></BkToCstmrStmt></Document>';
const head = declaration + open;
const inEntry = head + entry;

function camt(text: string, before = declaration): string {
  return `${before}${open}${entry}${text}${endOfEntry}${close}`;
}

function declared(name: string, subset: string, text = '&x;'): HostileFile {
  const doctype = subset.startsWith('<!DOCTYPE') ? subset : `<!DOCTYPE Document ${subset}>`;
  const refused = /Document types and entities are not supported/;
  return hostile(name, camt(text, `${declaration}${doctype}\n`), refused);
}

const tooLong = /is longer than 65536 characters/;

export function hostileCamt(url: string): HostileFile[] {
  return [
    ...declarations(url),
    ...texts(),
    ...endlessTags(),
    ...endlessTexts(),
    ...endlessElements(),
  ];
}

function declarations(url: string): HostileFile[] {
  return [
    declared('xxe-file-camt.xml', '[<!ENTITY x SYSTEM "file:///etc/passwd">]'),
    declared('xxe-http-camt.xml', `[<!ENTITY x SYSTEM "${url}">]`),
    declared('external-dtd-camt.xml', `SYSTEM "${url}/camt.dtd"`),
    declared('parameter-entity-camt.xml', `[<!ENTITY % p SYSTEM "${url}">%p;]`),
    declared('billion-laughs-camt.xml', laughs(10).replace('OFX', 'Document'), '&l9;'),
    declared('small-laughs-camt.xml', '[<!ENTITY x "y">]'),
    hostile('unknown-entity-camt.xml', camt('&x;'), /entities are not supported/),
    hostile('xinclude-camt.xml', camt('x<i:include href="file:///etc/passwd"/>'), 1),
  ];
}

function texts(): HostileFile[] {
  return [
    hostile('escapes-camt.xml', camt('\u202ex'), 1),
    hostile('control-camt.xml', camt('\u001b[2J'), /disallowed character/),
    hostile('nul-camt.xml', camt('x\0y'), /disallowed character/),
    hostile('forbidden-reference-camt.xml', camt('&#0;'), /malformed character entity/),
    hostile('cut-off-camt.xml', camt('x').slice(0, -40), /File ends too early/),
    hostile('utf-16-declared-camt.xml', camt('x').replace('UTF-8', 'UTF-16'), 1),
    hostile('utf-16-unmarked-camt.xml', Buffer.from(camt('\u0141'), 'utf16le'), 1),
    hostile('two-roots-camt.xml', `${camt('x')}<a/>`, /only one root/),
    hostile(
      'wrong-amounts-camt.xml',
      `${head}${`${entry}x${endOfEntry}`.replace('5.00', 'five').repeat(20_000)}${close}`,
      /Not an amount[^]*and 19,900 more/,
    ),
  ];
}

function endlessTags(): HostileFile[] {
  return [
    flood('deep-camt.xml', head, '<A>', /nested deeper than 64/),
    flood('deep-entries-camt.xml', head, '<Ntry>', /nested deeper than 64/),
    flood('huge-attribute-camt.xml', `${inEntry}<X y="`, 'A', tooLong, { sparseBytes: gigabyte }),
    flood('huge-tag-name-camt.xml', `${inEntry}<`, 'A', tooLong, { sparseBytes: gigabyte }),
    hostile(
      'many-attributes-camt.xml',
      [`${inEntry}<X`, ...Array.from({ length: 1_000 }, (_, at) => ` a${at}="b"`)],
      /more than 64 attributes/,
    ),
  ];
}

function endlessTexts(): HostileFile[] {
  return [
    flood('huge-text-camt.xml', inEntry, 'v', tooLong),
    flood('references-camt.xml', inEntry, '&amp;', tooLong),
    flood('reference-without-end-camt.xml', `${inEntry}&`, 'a', tooLong),
    flood('comment-without-end-camt.xml', `${inEntry}<!--`, ' -', tooLong),
    flood('cdata-without-end-camt.xml', `${inEntry}<![CDATA[`, ']', tooLong),
    flood('instruction-without-end-camt.xml', `${inEntry}<?x `, '?', tooLong),
    flood(
      'doctype-without-end-camt.xml',
      `${declaration}<!DOCTYPE x "xsd:camt.053" [`,
      ' ',
      tooLong,
    ),
    flood('blanks-camt.xml', head, ' ', tooLong),
  ];
}

function endlessElements(): HostileFile[] {
  return [
    flood(
      'text-of-one-entry-camt.xml',
      `${head}<Ntry>`,
      `<AddtlNtryInf>${'v'.repeat(60_000)}</AddtlNtryInf>`,
      /Text of one entry is longer/,
    ),
    flood('statements-camt.xml', `${head}</Stmt>`, '<Stmt/>', /more than 20000 statements/),
    flood('balances-camt.xml', head, '<Bal/>', /more than 1000 balances/),
    flood('documents-camt.xml', '', `${declaration}<BkToCstmrStmt/>`, /more than 10000 documents/),
    hostile(
      'one-id-for-all-camt.xml',
      repeated(`${entry}x${endOfEntry}`, 2_000, head, close),
      2_000,
    ),
    hostile(
      'details-camt.xml',
      repeated(
        '<TxDtls/>',
        500_000,
        `${inEntry}x</AddtlNtryInf><NtryDtls>`,
        `</NtryDtls></Ntry>${close}`,
      ),
      1,
    ),
  ];
}
