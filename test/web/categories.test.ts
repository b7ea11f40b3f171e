import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, phone, skip } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { serveBook, type ServedBook } from './served-book.ts';

/** The names of the rows of the tree from top to bottom. */
function rows(page: Page): Promise<string[]> {
  return page.locator('.category-name > span:first-child').allInnerTexts();
}

describe('categories and tags', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: 1000 })]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });

  test('a category moves by drag and drop with the keyboard, and back by u', async () => {
    const visit = await openVisit(browser, served, '/categories');
    const { page } = visit;
    await page.getByRole('row', { name: 'Salary' }).waitFor();
    await checkScreen(visit, 'categories');
    const earlier = await rows(page);
    await page.getByRole('button', { name: 'Add a category' }).focus();
    const toHandle = ['Tab', 'ArrowDown', 'ArrowDown', 'ArrowRight'];
    for (const key of toHandle) await page.keyboard.press(key);
    await page.locator('[aria-label="Move Bonus"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('[aria-label="Insert between Bonus and Freelance"]:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('Bonus is moved').waitFor();
    await page.waitForFunction(
      (before) =>
        [...document.querySelectorAll<HTMLElement>('.category-name > span:first-child')]
          .map((each) => each.innerText)
          .join() !== before,
      earlier.join(),
    );
    assert.notDeepEqual(await rows(page), earlier);
    await page.keyboard.press('u');
    await page.getByText('The last change is taken back').waitFor();
    await page.waitForFunction(
      (before) =>
        [...document.querySelectorAll<HTMLElement>('.category-name > span:first-child')]
          .map((each) => each.innerText)
          .join() === before,
      earlier.join(),
    );
    await closeVisit(visit);
  });

  test('a category in use says what its deletion does, and merges after a preview', async () => {
    const visit = await openVisit(browser, served, '/categories');
    const { page } = visit;
    const menu = page.getByRole('button', { name: 'Actions for Groceries' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText(/transactions will have no category/).waitFor();
    // The browser itself reports the status of the refusal in the console.
    assert.ok(visit.errors.splice(0).every((error) => error.includes('422')));
    await page.getByRole('button', { name: 'Cancel' }).last().click();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Merge into another' }).click();
    await page.getByLabel('Into', { exact: true }).selectOption({ label: 'Restaurants' });
    await page.getByText(/transactions? move/).waitFor();
    await checkState(visit, 'category-merge');
    await page.getByRole('button', { name: 'Merge' }).click();
    await page.getByText('Groceries is merged into Restaurants').waitFor();
    await menu.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await menu.waitFor();
    await closeVisit(visit);
  });

  test('a category is added, moved and archived by touch', async () => {
    const options = { viewport: phone, hasTouch: true };
    const visit = await openVisit(browser, served, '/categories', options);
    const { page } = visit;
    await page.getByRole('button', { name: 'Add a category' }).tap();
    await page.getByLabel('Name').fill('Aquarium');
    await page.getByLabel('Group', { exact: true }).selectOption({ label: 'Home' });
    await page.getByRole('button', { name: 'Save' }).tap();
    await page.getByText('Aquarium is added').waitFor();
    const menu = page.getByRole('button', { name: 'Actions for Aquarium' });
    await menu.tap();
    await page.getByRole('menuitem', { name: 'Move up' }).tap();
    await page.getByText('Aquarium is moved').waitFor();
    await menu.tap();
    await page.getByRole('menuitem', { name: 'Archive' }).tap();
    await page.getByText('Aquarium is archived').waitFor();
    await menu.waitFor({ state: 'detached' });
    await closeVisit(visit);
  });

  test('a tag has a colour, and a note', async () => {
    const visit = await openVisit(browser, served, '/categories/tags');
    const { page } = visit;
    await page.getByRole('button', { name: 'Add a tag' }).click();
    await page.getByLabel('Name').fill('Aquarium');
    await page.getByLabel('Own colours').check();
    await page.getByLabel('Background').fill('#204060');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Aquarium is added').waitFor();
    await page.locator('.tag-chip', { hasText: 'Aquarium' }).waitFor();
    await checkState(visit, 'tags');
    await closeVisit(visit);
  });
});
