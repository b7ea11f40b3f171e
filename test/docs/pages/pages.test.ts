import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isLong } from '../../../packages/core/src/testing/length.ts';
import { readConfig } from '../../../packages/server/src/config.ts';
import { readTextFiles } from '../../house/tracked-files.ts';
import { settingsIn, unknownSettings } from '../../nodes/deploy-files.ts';
import { skipWithout } from '../../nodes/proxies.ts';
import { blocksOf, isShown, type Block } from './page.ts';
import { exemptions, machineFor, missingFor, startedBefore, type Exemption } from './exemptions.ts';
import { installProduct, languages, makeClone, runPage } from './run-page.ts';

const skip = skipWithout('unshare', 'ip', 'bash', 'python3', 'curl');
const pages = readTextFiles().filter(({ path }) =>
  /^(README\.md|docs\/(guide|operate)\/[^/]+\.md)$/.test(path),
);

/** What a newcomer follows; the other pages run in the long run. */
const firstPages = ['README.md', 'docs/guide/getting-started.md'];

function exemptionOf(page: string, { code }: Block): Exemption | undefined {
  return exemptions.find((each) => each.page === page && code.includes(each.words));
}

// Pages wait more than they compute, for servers and for npm.
const concurrency = 3;

describe(
  'every block of README, guide and operating pages, as it is written',
  { skip, concurrency },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'coffer-pages-'));
    const clone = join(folder, 'coffer');
    before(async () => {
      makeClone(clone);
      if (isLong) await installProduct(clone);
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    for (const { path, text } of pages.filter(({ path }) => isLong || firstPages.includes(path))) {
      const blocks = blocksOf(text);
      const run = blocks.filter(
        (block) => languages.includes(block.language) && !exemptionOf(path, block),
      );
      if (run.length === 0) continue;
      const skip = missingFor(run);
      test(path, { skip, timeout: 300_000 }, async () => {
        const first = startedBefore(path);
        const { outputs, failedLine } = await runPage(machineFor(path, clone), [...first, ...run]);
        assert.equal(failedLine, undefined, outputs.get(failedLine ?? 0));
        let output = '';
        for (const { line, code, isOutput } of blocks) {
          output = outputs.get(line) ?? output;
          const message = `line ${line} shows:\n${code}\nnot:\n${output}`;
          if (isOutput) assert.ok(isShown(code, output), message);
        }
      });
    }

    test('settings are accepted by the server', () => {
      const blocks = pages
        .flatMap(({ text }) => blocksOf(text))
        .filter(({ language }) => language === 'ini');
      assert.ok(blocks.length > 0);
      for (const { code } of blocks) {
        const found = settingsIn(code);
        assert.deepEqual(unknownSettings(found), []);
        readConfig({}, found);
      }
    });

    test('what is not run has a reason', (t) => {
      const unused = new Set(exemptions);
      for (const { path, text } of pages)
        for (const block of blocksOf(text)) {
          const exemption = exemptionOf(path, block);
          const isChecked = [...languages, 'ini'].includes(block.language) || block.isOutput;
          assert.ok(isChecked || exemption !== undefined, `${path}, line ${block.line}`);
          if (exemption !== undefined) unused.delete(exemption);
        }
      for (const { page, words, reason } of exemptions)
        t.diagnostic(`${page}: ${words}: ${reason}`);
      assert.deepEqual([...unused], []);
    });
  },
);

describe('the output that a page shows', () => {
  test('is compared whole, and … stands for anything', () => {
    assert.ok(isShown('a … c\n', 'a b c\n'));
    assert.ok(isShown('a\n…\nd\n', 'a\nb\nc\nd\n'));
    assert.ok(!isShown('a … c\n', 'a b\nc\n'));
    const progress = 'Comparing: 1,088 of 2,350 rows (46 %), 2,211 rows/s, 8 s left\n';
    assert.ok(isShown('a\n', `${progress}a\n`));
    assert.ok(!isShown('a\n', 'a\nb\n'));
    assert.ok(!isShown('1.5\n', '1x5\n'));
  });

  test('is a block after "It prints:"', () => {
    const page = 'Run:\n\n```sh\necho a\n```\n\nIt prints:\n\n```text\na\n```\n\n```text\nb\n```\n';
    assert.deepEqual(
      blocksOf(page).map(({ language, line, isOutput }) => [language, line, isOutput]),
      [
        ['sh', 3, false],
        ['text', 9, true],
        ['text', 13, false],
      ],
    );
  });
});
