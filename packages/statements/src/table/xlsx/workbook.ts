import { Refusal } from '../../statement/statement-error.ts';
import { isDateFormat } from './numbers.ts';
import { partOf, readPart, type Workbook } from './parts.ts';

const WORKBOOK = 'xl/workbook.xml';
const MAX_SHEETS = 1_000;
const MAX_STYLES = 70_000;
const MAX_STRINGS = 2_000_000;
const MAX_STRINGS_LENGTH = 64 * 2 ** 20;

/** A sheet of a workbook. */
export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** The name of its part. */
  readonly part: string;
}

/** What is needed to understand the cells of a workbook. */
export interface Contents {
  readonly sheets: readonly Sheet[];
  /** Whether days are counted from 1904. */
  readonly is1904: boolean;
  /** By the index of a style: whether it shows dates. */
  readonly dateStyles: readonly boolean[];
  readonly strings: readonly string[];
}

/** Reads everything but the sheets. Errors: Refusal if a part is damaged or exceeds a limit. */
export async function readContents(workbook: Workbook): Promise<Contents> {
  const targets = await readTargets(workbook);
  const { found, is1904 } = await readSheets(workbook);
  const sheets = found.flatMap(({ id, ...sheet }) => {
    const part = targets.get(id);
    return part === undefined ? [] : [{ ...sheet, part }];
  });
  const dateStyles = await readStyles(workbook);
  return { sheets, is1904, dateStyles, strings: await readStrings(workbook) };
}

/** The parts of sheets, by the id of their relation. */
async function readTargets(workbook: Workbook): Promise<ReadonlyMap<string, string>> {
  const targets = new Map<string, string>();
  await readPart(workbook, partOf(workbook, 'xl/_rels/workbook.xml.rels'), {
    open(name, { Id = '', Target = '', Type = '' }) {
      if (name !== 'Relationship' || !Type.endsWith('/worksheet')) return;
      targets.set(Id, Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`);
    },
  });
  return targets;
}

async function readSheets(workbook: Workbook) {
  const found: { name: string; isHidden: boolean; id: string }[] = [];
  let is1904 = false;
  await readPart(workbook, partOf(workbook, WORKBOOK), {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = /^(?:1|true|on)$/.test(attributes['date1904'] ?? '');
      if (name !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
      const state = attributes['state'] ?? 'visible';
      found.push({ name: attributes['name'] ?? '', isHidden: state !== 'visible', id });
      limit(found.length, MAX_SHEETS, 'sheets');
    },
  });
  return { found, is1904 };
}

async function readStyles(workbook: Workbook): Promise<boolean[]> {
  const codes = new Map<number, string>();
  const styles: boolean[] = [];
  await readPart(workbook, partOf(workbook, 'xl/styles.xml'), {
    open(name, { numFmtId = '0', formatCode = '' }, path) {
      if (name === 'numFmt') codes.set(Number(numFmtId), formatCode);
      if (name !== 'xf' || path.at(-1) !== 'cellXfs') return;
      const id = Number(numFmtId);
      styles.push(isDateFormat(id, codes.get(id)));
      limit(styles.length + codes.size, MAX_STYLES, 'styles');
    },
  });
  return styles;
}

async function readStrings(workbook: Workbook): Promise<string[]> {
  const strings: string[] = [];
  let parts: string[] = [];
  let length = 0;
  await readPart(workbook, partOf(workbook, 'xl/sharedStrings.xml'), {
    close(name, text, path) {
      // A text in `rPh` shows how another one is pronounced.
      if (name === 't' && !path.includes('rPh')) parts.push(text);
      if (name !== 'si') return;
      const string = parts.join('');
      parts = [];
      length += string.length;
      strings.push(string);
      limit(strings.length, MAX_STRINGS, 'texts');
      limit(length, MAX_STRINGS_LENGTH, 'characters');
    },
  });
  return strings;
}

function limit(count: number, most: number, what: string): void {
  if (count > most) throw new Refusal(`More than ${most} ${what}`);
}
