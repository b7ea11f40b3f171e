import { floods, hostiles, repeated, type HostileFile } from './hostile-content.ts';

const gigabyte = { sparseBytes: 2 ** 30 };
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
const declared = /Document types and entities are not supported/;
const tooLong = /is longer than 65536 characters/;
const tooDeep = /nested deeper than 64/;

/** The texts before the text of the only entry of a file, and after it. */
interface Form {
  readonly root: string;
  readonly open: string;
  readonly entry: string;
  readonly endOfEntry: string;
  readonly close: string;
}

const ofx: Form = {
  root: 'OFX',
  open:
    '<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKACCTFROM><BANKID>1<ACCTID>12345678' +
    '<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>',
  entry: '<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20240131<TRNAMT>-5.00<FITID>ABC12345<NAME>',
  endOfEntry: '</STMTTRN>',
  close: '</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>',
};
const camt: Form = {
  root: 'Document',
  open:
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>' +
    '<Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></Acct>',
  entry:
    '<Ntry><Amt Ccy="EUR">5.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>' +
    '<BookgDt><Dt>2024-01-31</Dt></BookgDt><AcctSvcrRef>ABC12345</AcctSvcrRef><AddtlNtryInf>',
  endOfEntry: '</AddtlNtryInf></Ntry>',
  close: '</Stmt></BkToCstmrStmt></Document>',
};
const header = 'OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:USASCII\nCHARSET:1252\n\n';

function fileOf({ open, entry, endOfEntry, close }: Form, before: string, text: string): string {
  return before + open + entry + text + endOfEntry + close;
}

function manyEntries({ open, entry, endOfEntry, close }: Form, before: string) {
  return repeated(`${entry}x${endOfEntry}`, 2_000, before + open, close);
}

/** Entities that multiply. */
const laughs = Array.from({ length: 10 }, (_, at) => {
  const value = at === 0 ? 'ha' : `&l${at - 1};`.repeat(10);
  return `<!ENTITY l${at} "${value}">`;
}).join('\n');

/** Returns SGML and XML files; `url` is an address that must get no request. */
export function hostileMarkup(url: string): HostileFile[] {
  const withDoctype = (form: Form, doctype: string, text: string): string =>
    fileOf(form, `${declaration}<!DOCTYPE ${form.root} ${doctype}>\n`, text);
  const doctypes = {
    'xxe-file': ['[<!ENTITY x SYSTEM "file:///etc/passwd">]', '&x;'],
    'xxe-http': [`[<!ENTITY x SYSTEM "${url}">]`, '&x;'],
    'external-dtd': [`SYSTEM "${url}/a.dtd"`, '&x;'],
    'public-dtd': [`PUBLIC "-//X//EN" "${url}"`, 'x'],
    'parameter-entity': [`[<!ENTITY % p SYSTEM "${url}">%p;]`, '&x;'],
    'billion-laughs': [`[${laughs}]`, '&l9;'],
    'small-laughs': ['[<!ENTITY x "y">]', '&x;'],
  } as const;
  const declarations = Object.entries(doctypes).flatMap(([name, [doctype, text]]) => [
    ...hostiles('.ofx', { [name]: [withDoctype(ofx, doctype, text), declared] }),
    ...hostiles('-camt.xml', { [name]: [withDoctype(camt, doctype, text), declared] }),
  ]);
  const quadratic = `[<!ENTITY q "${'q'.repeat(100_000)}">]`;
  const otherRoot = withDoctype(ofx, `[${laughs}]`, '&l9;').replaceAll('OFX', 'Document');
  return [
    ...declarations,
    ...hostiles('', {
      'quadratic-entity.ofx': [withDoctype(ofx, quadratic, '&q;'.repeat(20_000)), declared],
      'billion-laughs.xml': [otherRoot, /No header row with a date/],
      'stylesheet.ofx': [fileOf(ofx, `${header}<?xml-stylesheet href="${url}"?>`, 'x'), 1],
    }),
    ...ofxTexts(),
    ...camtTexts(),
    ...endlessOfx(),
    ...endlessCamt(),
  ];
}

function ofxTexts(): HostileFile[] {
  const file = (text: string, before = ''): string => fileOf(ofx, header + before, text);
  return hostiles('.ofx', {
    'doctype-in-value': [file('x<!DOCTYPE y [<!ENTITY z "z">]>&z;'), declared],
    'entity-in-header': [file('&a;', '<!ENTITY a "aaaa">'), declared],
    'marked-section': [file('<![INCLUDE[x]]>'), declared],
    xinclude: [file('x<xi:include href="file:///etc/passwd" parse="text"/>'), 1],
    'unknown-references': [file('&x; &#0; &#xD800; &#1114112; &#99999999;'), 1],
    'utf-7': [file('+ADwAIQ-DOCTYPE x+AD4-'), 1],
    'escapes-in-value': [file('\u001b[2J\u0007\u202e'), 1],
    'utf-16-marked': [Buffer.from(`\uFEFF${file('Łódź')}`, 'utf16le'), 1],
    'utf-16-unmarked': [Buffer.from(file('x'), 'utf16le'), 1],
    'tag-cut': [file('x').slice(0, -1), /ends within a tag/],
    'one-id-for-all': [manyEntries(ofx, header), 2_000],
  });
}

function camtTexts(): HostileFile[] {
  const file = (text: string): string => fileOf(camt, declaration, text);
  const head = declaration + camt.open + camt.entry;
  const ends = ['x</AddtlNtryInf><NtryDtls>', '</NtryDtls></Ntry>'] as const;
  const details = repeated('<TxDtls/>', 500_000, head + ends[0], ends[1] + camt.close);
  return hostiles('-camt.xml', {
    'unknown-entity': [file('&x;'), /entities are not supported/],
    xinclude: [file('x<i:include href="file:///etc/passwd"/>'), 1],
    escapes: [file('\u202ex'), 1],
    'forbidden-reference': [file('&#0;'), /malformed character entity/],
    'utf-16-declared': [file('x').replace('UTF-8', 'UTF-16'), 1],
    'utf-16-unmarked': [Buffer.from(file('\u0141'), 'utf16le'), 1],
    'two-roots': [`${file('x')}<a/>`, /only one root/],
    'one-id-for-all': [manyEntries(camt, declaration), 2_000],
    details: [details, 1],
  });
}

function endlessOfx(): HostileFile[] {
  const open = header + ofx.open;
  const entry = open + ofx.entry;
  const longTag = /Tag is longer than 256/;
  const unclosed = /Is not closed before the <STMTTRN>/;
  return floods('.ofx', {
    'deep-tags': [open, '<A>', tooDeep],
    'deep-known-tags': [entry, '<PAYEE>', tooDeep],
    'entries-unclosed': [open, '<STMTTRN>', unclosed, { length: 3_000_000 }],
    'huge-tag-name': [`${header}<`, 'A', longTag, gigabyte],
    'huge-attribute': [`${header}<OFX x="`, 'A', longTag, gigabyte],
    'many-attributes': [`${header}<OFX`, ' a="b"', longTag, { length: 10_000_000 }],
    'huge-value': [entry, 'v', tooLong, gigabyte],
    'references-without-end': [entry, '&amp;', tooLong],
    'signs-without-end': [entry, '<', tooLong],
    'blanks-without-end': [open, ' ', tooLong],
    'comment-without-end': [`${header}<!-`, '-', tooLong],
    'cdata-without-end': [`${entry}<![CDATA[`, ']', tooLong],
    'instruction-without-end': [`${header}<?`, '?', tooLong],
  });
}

function endlessCamt(): HostileFile[] {
  const open = declaration + camt.open;
  const entry = open + camt.entry;
  const text = `<AddtlNtryInf>${'v'.repeat(60_000)}</AddtlNtryInf>`;
  return floods('-camt.xml', {
    deep: [open, '<A>', tooDeep],
    'deep-entries': [open, '<Ntry>', tooDeep],
    'huge-attribute': [`${entry}<X y="`, 'A', tooLong, gigabyte],
    'huge-tag-name': [`${entry}<`, 'A', tooLong, gigabyte],
    'huge-text': [entry, 'v', tooLong],
    references: [entry, '&amp;', tooLong],
    'reference-without-end': [`${entry}&`, 'a', tooLong],
    'comment-without-end': [`${entry}<!--`, ' -', tooLong],
    'cdata-without-end': [`${entry}<![CDATA[`, ']', tooLong],
    'instruction-without-end': [`${entry}<?x `, '?', tooLong],
    'doctype-without-end': [`${declaration}<!DOCTYPE x "xsd:camt.053" [`, ' ', tooLong],
    blanks: [open, ' ', tooLong],
    'text-of-one-entry': [`${open}<Ntry>`, text, /Text of one entry is longer/],
    statements: [`${open}</Stmt>`, '<Stmt/>', /more than 20000 statements/],
    balances: [open, '<Bal/>', /more than 1000 balances/],
    documents: ['', `${declaration}<BkToCstmrStmt/>`, /more than 10000 documents/],
  });
}
