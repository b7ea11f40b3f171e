import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { operations } from './growth/requests.ts';
import { growthTable, resultFile, type Growth } from './growth/growth.ts';
import { parts } from './parts.ts';
import { placeBetween } from './report/markdown.ts';
import type { Figure } from './report/figure.ts';
import { headlineTable, referenceDocument, withResults } from './report/reference.ts';
import { resultsFolder, type Results } from './report/results.ts';
import { resultFile as stallsFile, stallsText, type StallsRun } from './stalls/table.ts';

const document = readFileSync(referenceDocument, 'utf8');

function shownResults(): Results {
  const commit = /^Run: \S+, commit ([0-9a-f]+\+?),/m.exec(document)?.[1];
  const name = readdirSync(resultsFolder).find((file) => file.endsWith(`-${commit}.json`));
  assert.ok(name, `no results of commit ${commit}`);
  return JSON.parse(readFileSync(new URL(name, resultsFolder), 'utf8')) as Results;
}

/** A part that has changed has no results until its next full run. */
const skipWithout = (file: URL) => ({ skip: !existsSync(file) });

describe('the page about performance', () => {
  it('shows the figures of a run that is kept', () => {
    const spaces = (text: string): string => text.replaceAll(/ +|-{3,}/g, ' ');
    assert.equal(spaces(withResults(document, shownResults())), spaces(document));
  });

  it(
    'shows the last run of growing books, of each size and operation',
    skipWithout(resultFile),
    () => {
      const growth = JSON.parse(readFileSync(resultFile, 'utf8')) as Growth;
      assert.equal(placeBetween(document, 'growth', growthTable(growth)), document);
      assert.deepEqual(growth.sizes, [1000, 10_000, 100_000, 1_000_000]);
      assert.equal(growth.lines.length, Object.keys(operations).length);
      for (const { ms } of growth.lines) assert.ok(ms.length === 4 && ms.every((each) => each > 0));
    },
  );

  it('shows the last run of what others wait for', skipWithout(stallsFile), () => {
    const run = JSON.parse(readFileSync(stallsFile, 'utf8')) as StallsRun;
    assert.equal(placeBetween(document, 'stalls', stallsText(run)), document);
    assert.equal(run.rows, 1_000_000);
  });

  it('names every part of the bench', () => {
    const sentence = /^The parts are [^]*?\./m.exec(document)?.[0] ?? '';
    const named = [...sentence.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    assert.deepEqual(named.toSorted(), Object.keys(parts).toSorted());
  });
});

describe('what a user asks first', () => {
  const figure = (name: string, value: number): Figure => ({ name, value, unit: 'ms' });

  it('is answered with two digits', () => {
    const table = headlineTable([
      figure('requests: processor time, list of 1', 0.1819),
      figure('requests: processor time, me', 12.6),
    ]);
    assert.match(table, /\| A request for one transaction \| 0\.18 ms; `\/v2\/me` 13 ms \|$/m);
  });

  it('is left out when a figure is missing', () => {
    const table = headlineTable([figure('requests: processor time, list of 1', 0.18)]);
    assert.deepEqual(table.split('\n').length, 2);
  });
});
