/** How a file is written: SGML with values not closed, with values closed, or closed with an XML header. */
export type OfxStyle = 'sgml' | 'closed' | 'xml';

/** The tags of an entry, in file order; `PAYEE` and similar tags contain other tags. */
export interface OfxAggregate {
  readonly [tag: string]: string | OfxAggregate;
}

export interface OfxStatement {
  readonly kind?: 'STMTRS' | 'CCSTMTRS' | 'INVSTMTRS';
  readonly currency?: string;
  readonly account?: OfxAggregate;
  readonly entries: readonly OfxAggregate[];
  /** What follows the list of entries. */
  readonly rest?: OfxAggregate;
}

const HEADERS: Readonly<Record<OfxStyle, string>> = {
  sgml: 'OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:USASCII\nCHARSET:1252\n\n',
  closed: '',
  xml: '<?xml version="1.0" encoding="UTF-8"?>\n<?OFX OFXHEADER="200" VERSION="220"?>\n',
};
const ACCOUNT_TAGS = { STMTRS: 'BANKACCTFROM', CCSTMTRS: 'CCACCTFROM', INVSTMTRS: 'INVACCTFROM' };
const LIST_TAGS = { STMTRS: 'BANKTRANLIST', CCSTMTRS: 'BANKTRANLIST', INVSTMTRS: 'INVTRANLIST' };

/** Formats a file with one tag per line, so that tests can count its lines. */
export function ofxText(
  statements: readonly OfxStatement[],
  style: OfxStyle = 'sgml',
  header = HEADERS[style],
): string {
  const body = statements.map((statement) => statementText(statement, style)).join('');
  return `${header}<OFX>\n${body}</OFX>\n`;
}

function statementText(statement: OfxStatement, style: OfxStyle): string {
  const { kind = 'STMTRS', currency = 'USD', entries, rest = {} } = statement;
  const account = statement.account ?? { BANKID: '99', ACCTID: '0012345678', ACCTTYPE: 'CHECKING' };
  const list = entries.map((entry) => aggregateText('STMTTRN', entry, style)).join('');
  const head = aggregateText(ACCOUNT_TAGS[kind], account, style);
  const tail = tagsText(rest, style);
  const tag = LIST_TAGS[kind];
  return `<${kind}>\n${leafText('CURDEF', currency, style)}${head}<${tag}>\n${list}</${tag}>\n${tail}</${kind}>\n`;
}

function aggregateText(name: string, tags: OfxAggregate, style: OfxStyle): string {
  return `<${name}>\n${tagsText(tags, style)}</${name}>\n`;
}

function tagsText(tags: OfxAggregate, style: OfxStyle): string {
  return Object.entries(tags)
    .map(([name, value]) =>
      typeof value === 'string' ? leafText(name, value, style) : aggregateText(name, value, style),
    )
    .join('');
}

function leafText(name: string, value: string, style: OfxStyle): string {
  const escaped = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return style === 'sgml' ? `<${name}>${escaped}\n` : `<${name}>${escaped}</${name}>\n`;
}

/** An entry with the required tags and the given ones. */
export function ofxEntry(tags: OfxAggregate = {}): OfxAggregate {
  return { TRNTYPE: 'DEBIT', DTPOSTED: '20240131', TRNAMT: '-5.00', FITID: 'ABC12345', ...tags };
}
