import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { drop, press } from './acts.ts';
import { newWindow, skip } from './browser.ts';
import { sharedBrowser } from './suite.ts';

/*
 * The way of somebody new: the command of `npm start` on a fresh database, the link that it prints, a bank file dropped
 * and imported, three rows reviewed, the spending of the month. Nothing is typed into the terminal after the first
 * command.
 */

const root = join(import.meta.dirname, '../..');
const bankFile = join(root, '../shared/data/statements/csv-app/mint.csv');

/** The command behind `npm start`, without the set-up before it, and how it prints its link. */
async function start(folder: string): Promise<{ child: ChildProcess; link: string }> {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const [program, ...args] = scripts.start.replace(/^.*&& exec env /, '').split(' ');
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

const missing = !existsSync(bankFile) && 'missing: ../shared/data/statements';
const options = { skip: skip === false ? missing : skip, timeout: 300_000 };

test(
  'a newcomer signs in by the printed link, imports a file, reviews three rows, and sees what was spent',
  options,
  async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'coffer-newcomer-'));
    const { child, link } = await start(folder);
    context.after(async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    });
    const window = await newWindow(await sharedBrowser(), link);
    context.after(() => window.close());
    const page = await window.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(link);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    assert.equal(new URL(page.url()).hash, '');
    await page.getByRole('button', { name: 'Name and currency' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Home');
    await page.getByLabel('Currency', { exact: true }).selectOption('gbp');
    await page.keyboard.press('Enter');
    await page.locator('main').getByText('Home · GBP').waitFor();
    const text = readFileSync(bankFile, 'utf8');
    await drop(page.locator('body'), { name: 'statement.csv', text });
    await page.getByRole('button', { name: /^Import \d+ transactions$/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^\d+ transactions imported$/ }).waitFor();
    await page.getByRole('link', { name: 'Review', exact: true }).last().click();
    const left = Number.parseInt(await page.getByText(/^\d+ transactions? to review$/).innerText());
    await page.getByRole('grid').focus();
    await press(page, 'e', 'e', 'e');
    await page.getByText(`${left - 3} transactions to review`).waitFor();
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await page
      .getByText(/^Spending in /)
      .first()
      .waitFor();
    await page
      .locator('main')
      .getByText(/£\s?\d/)
      .first()
      .waitFor();
  },
);
