import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';
import { readTextFiles, ROOT, type TextFile } from '../house/tracked-files.ts';

const DECISION = /^docs\/decisions\/\d{3}-[a-z0-9-]+\.md$/;
const DECISIONS_LIST = 'docs/decisions/README.md';
const OPENING = /^# (\d{3}) (.+)\n\nDate: (\d{4}-\d{2}-\d{2})\n\nStatus: (.+)\n\n## Context\n/;
const STATUS = /^(Accepted|Superseded by \[\d{3}\]\(\d{3}-[a-z0-9-]+\.md\))$/;
const SECTIONS = ['Context', 'Decision', 'Consequences'];

function proseOf(text: string): string {
  return text.replace(/^(`{3,}|~{3,})[^]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
}

function anchorsOf(text: string): Set<string> {
  const headings = text.replace(/^(`{3,}|~{3,})[^]*?^\1/gm, '').matchAll(/^#+ +(.+?) *#*$/gm);
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
  const written = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  return new Set([...[...headings].map(([, heading = '']) => slug(heading)), ...written]);
}

function linksOf(text: string): string[] {
  const inline = proseOf(text).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g);
  const defined = proseOf(text).matchAll(/^\[[^\]]+\]: +(\S+)/gm);
  return [...inline, ...defined].map(([, target = '']) => target);
}

/** Returns the dead links of a document to other documents of the tree. */
function deadLinks({ path, text }: TextFile, files: TextFile[]): string[] {
  const isOurs = (link: string): boolean => !/^[a-z][a-z+.-]*:|^\/\//i.test(link);
  return linksOf(text).filter((link) => {
    if (!isOurs(link)) return false;
    const [target = '', anchor] = link.split('#');
    const goal = target === '' ? path : normalize(join(dirname(path), decodeURI(target)));
    const document = target === '' ? { text } : files.find((file) => file.path === goal);
    if (document === undefined) return goal.startsWith('..') || !existsSync(join(ROOT, goal));
    return anchor !== undefined && goal.endsWith('.md') && !anchorsOf(document.text).has(anchor);
  });
}

/** Returns the problems of a decision record: its number, date, status or sections. */
function decisionFaults({ path, text }: TextFile): string[] {
  const [, number, , , status = ''] = OPENING.exec(text) ?? [];
  if (number === undefined) return ['it does not start with title, date, status and context'];
  const faults = basename(path).startsWith(`${number}-`)
    ? []
    : ['its file name has another number'];
  if (!STATUS.test(status)) faults.push(`the status "${status}" is not valid`);
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  if (headings.join() !== SECTIONS.join()) faults.push(`its sections are ${headings.join()}`);
  const bodies = text.split(/^## .+$/m).slice(1);
  if (bodies.some((body) => body.trim() === '')) faults.push('a section is empty');
  return faults;
}

/** Returns the records that are not in the list with their title, and gaps in the numbers. */
function listFaults(records: TextFile[], list: string): string[] {
  const numbers = records.map(({ path }) => Number(basename(path).slice(0, 3)));
  const gaps = numbers.filter((number, n) => number !== n + 1).map((number) => `${number}: a gap`);
  const missing = records.filter(({ path, text }) => {
    const [, number, title] = OPENING.exec(text) ?? [];
    return !list.includes(`[${number} ${title}](${basename(path)})`);
  });
  return [...gaps, ...missing.map(({ path }) => `${path}: not listed`)];
}

const files = readTextFiles();
const records = files.filter(({ path }) => DECISION.test(path));
const skip = files.length === 0 && 'this is not a git clone';

describe('links between documents', () => {
  const text = '# Other\n\n## The 2nd way: `x`\n\n<a id="own"></a>\n';
  const other = { path: 'docs/other.md', text };
  const faultsOf = (text: string): string[] => deadLinks({ path: 'docs/a.md', text }, [other]);

  for (const link of ['gone.md', 'other.md#nothing', '../../elsewhere.md', '#nowhere']) {
    test(`a dead link to ${link} is found`, () => {
      assert.deepEqual(faultsOf(`# A\n\nSee [it](${link}).`), [link]);
      assert.deepEqual(faultsOf(`# A\n\nSee [it].\n\n[it]: ${link}\n`), [link]);
    });
  }

  test('valid links are accepted, and code is ignored', () => {
    const anchors = ['other.md', 'other.md#the-2nd-way-x', 'other.md#own'];
    const links = [...anchors, '../LICENSE', 'https://example.org'];
    assert.deepEqual(faultsOf(links.map((link) => `[x](${link})`).join('\n')), []);
    const code = '# Here\n\n[up](#here) `[x](gone.md)`\n\n```\n[x](gone.md)\n```\n';
    assert.deepEqual(faultsOf(code), []);
  });

  test('the tree has no dead links', { skip }, () => {
    const documents = files.filter(({ path }) => path.endsWith('.md'));
    assert.ok(documents.length > 5);
    const dead = documents.flatMap((one) =>
      deadLinks(one, files).map((link) => `${one.path}: ${link}`),
    );
    assert.deepEqual(dead, []);
  });
});

describe('decision records', () => {
  const good = `# 001 A choice\n\nDate: 2026-11-20\n\nStatus: Accepted\n\n## Context\n\nSo.\n\n## Decision\n\nThus.\n\n## Consequences\n\nHence.\n`;
  const record = { path: 'docs/decisions/001-a-choice.md', text: good };

  const broken: [what: string, text: string][] = [
    ['no date', good.replace('Date: 2026-11-20\n\n', '')],
    ['no status', good.replace('Status: Accepted\n\n', '')],
    ['an unknown status', good.replace('Accepted', 'Perhaps')],
    ['no context', good.replace('## Context', '')],
    ['no decision', good.replace('## Decision', '')],
    ['no consequences', good.replace('## Consequences', '')],
    ['an empty section', good.replace('Thus.', '')],
    ['the number of another record', good.replace('001', '002')],
  ];
  test('an incomplete record is found', () => {
    for (const [what, text] of broken)
      assert.equal(decisionFaults({ ...record, text }).length, 1, what);
  });

  test('a complete record is accepted, and so is a superseded one', () => {
    assert.deepEqual(decisionFaults(record), []);
    const text = good.replace('Accepted', 'Superseded by [002](002-another.md)');
    assert.deepEqual(decisionFaults({ ...record, text }), []);
  });

  test('a record that is not listed, and a gap in the numbers, are found', () => {
    const listed = '- [001 A choice](001-a-choice.md)';
    assert.deepEqual(listFaults([record], listed), []);
    assert.deepEqual(listFaults([record], '- [001 Other](001-a-choice.md)').length, 1);
    const third = { path: 'docs/decisions/003-c.md', text: good.replace('001 A choice', '003 C') };
    assert.deepEqual(listFaults([record, third], `${listed}\n[003 C](003-c.md)`), ['3: a gap']);
  });

  test('every record of the tree is complete and listed', { skip }, () => {
    assert.ok(records.length > 10);
    const list = files.find(({ path }) => path === DECISIONS_LIST)?.text ?? '';
    const faults = records.flatMap((one) =>
      decisionFaults(one).map((what) => `${one.path}: ${what}`),
    );
    assert.deepEqual([...faults, ...listFaults(records, list)], []);
    const strays = files.filter(({ path }) => /^docs\/decisions\/[^/]+\.md$/.test(path));
    assert.equal(strays.length, records.length + 1, 'a file has no number');
  });
});
