import { zipBytes } from './zip-bytes.ts';

export interface XlsxParts {
  /** The content of `sheetData`, by the name of the sheet. */
  readonly sheets: Readonly<Record<string, string>>;
  readonly hidden?: readonly string[];
  readonly strings?: readonly string[];
  /** Codes of number formats: a cell with style n has the n-th, from 1. Style 0 is `General`. */
  readonly formats?: readonly string[];
  readonly is1904?: boolean;
  /** What the relation of each sheet names in place of its part. */
  readonly target?: string;
}

/** An .xlsx file. Source: ECMA-376, part 1. */
export function xlsxBytes(parts: XlsxParts): Buffer {
  const { sheets, hidden = [], strings = [], formats = [], is1904 = false, target } = parts;
  const names = Object.keys(sheets);
  const list = names.map((name, at) => {
    const state = hidden.includes(name) ? ' state="hidden"' : '';
    return `<sheet name="${name}" sheetId="${at + 1}"${state} r:id="rId${at + 1}"/>`;
  });
  const relations = names.map(
    (_, at) =>
      `<Relationship Id="rId${at + 1}" Type="x/worksheet" Target="${target ?? `worksheets/sheet${at + 1}.xml`}"/>`,
  );
  const codes = formats.map(
    (code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
  );
  const styles = formats.map((_, at) => `<xf numFmtId="${164 + at}"/>`);
  return zipBytes([
    { name: '[Content_Types].xml', content: '<Types/>' },
    {
      name: 'xl/workbook.xml',
      content: `<workbook xmlns:r="r"><workbookPr date1904="${Number(is1904)}"/><sheets>${list.join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `<Relationships>${relations.join('')}</Relationships>`,
    },
    {
      name: 'xl/styles.xml',
      content: `<styleSheet><numFmts>${codes.join('')}</numFmts><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
    },
    {
      name: 'xl/sharedStrings.xml',
      content: `<sst>${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    },
    ...names.map((name, at) => ({
      name: `xl/worksheets/sheet${at + 1}.xml`,
      content: `<worksheet><sheetData>${sheets[name]!}</sheetData></worksheet>`,
    })),
  ]);
}
