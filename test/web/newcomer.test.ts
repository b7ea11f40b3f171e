import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, skip } from './browser.ts';

/*
 * The way of somebody new, timed: the command of `npm start` on a fresh database, the link that it prints, a bank file
 * dropped and imported, three rows reviewed, the spending of the month. Nothing is typed into the terminal after the
 * first command.
 */

const root = join(import.meta.dirname, '../..');
const bankFile = join(root, '../shared/data/statements/csv-app/mint.csv');
const screens = readFileSync(join(root, 'packages/web/src/screens/index.ts'), 'utf8');
const hasReview = screens.includes("'/review'");
/** A newcomer has lost patience by then, on a slow machine too. */
const patienceMs = 60_000;

/** The command behind `npm start`, without the set-up before it, and how it prints its link. */
async function start(folder: string): Promise<{ child: ChildProcess; link: string }> {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const [program, ...args] = scripts.start.replace(/^exec /, '').split(' ');
  assert.equal(program, 'node');
  const database = ['--port', '0', '--database', `sqlite:${join(folder, 'coffer.db')}`];
  const child = spawn(process.execPath, [...args, ...database], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    printed += chunk;
    const link = /http:\/\/\S+\/start#\S+/.exec(printed)?.[0];
    if (link !== undefined) return { child, link };
  }
  throw new Error(`No link was printed: ${printed}`);
}

async function drop(page: Page, path: string): Promise<void> {
  const text = readFileSync(path, 'utf8');
  await page.evaluate((content) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([content], 'statement.csv'));
    document.body.dispatchEvent(
      new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }),
    );
  }, text);
}

const missing = existsSync(bankFile) ? false : 'missing: ../shared/data/statements';

describe('a newcomer', { skip: skip === false ? missing : skip, timeout: 180_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-newcomer-'));
  const beganMs = performance.now();
  let browser: Browser;
  let server: ChildProcess;
  let page: Page;
  let link: string;

  before(async () => {
    const started = await start(folder);
    ({ child: server, link } = started);
    browser = await launchBrowser();
    page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
    page.setDefaultTimeout(20_000);
  });
  after(async () => {
    await browser.close();
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  test('opens the printed link, and is signed in', async () => {
    await page.goto(link);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    assert.equal(new URL(page.url()).hash, '');
  });

  test('drops a bank file, and imports it by Enter', async () => {
    await drop(page, bankFile);
    await page.getByRole('button', { name: /^Import \d+ transactions$/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^\d+ transactions imported$/ }).waitFor();
  });

  test(
    'reviews three rows by e',
    { skip: !hasReview && 'missing: the screen /review' },
    async () => {
      await page.getByRole('link', { name: 'Review', exact: true }).last().click();
      const summary = page.getByText(/^\d+ transactions? to review$/);
      await summary.waitFor();
      const left = Number.parseInt((await summary.textContent()) ?? '', 10);
      assert.ok(left >= 3);
      await page.getByRole('grid').focus();
      for (let nth = 1; nth <= 3; nth += 1) await page.keyboard.press('e');
      const rest = left - 3;
      const expected =
        rest === 0 ? 'All reviewed' : `${rest} transaction${rest === 1 ? '' : 's'} to review`;
      await page.getByText(expected).first().waitFor();
    },
  );

  test('sees what was spent', { skip: !hasReview && 'missing: the screen /overview' }, async () => {
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await page
      .getByText(/^Spending in /)
      .first()
      .waitFor();
    const shown = (await page.locator('main').textContent()) ?? '';
    assert.match(shown, /[£$€]\s?\d/);
  });

  test('needed no patience for it', () => {
    assert.ok(performance.now() - beganMs < patienceMs);
  });
});
