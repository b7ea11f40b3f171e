/* What a person does or sees on several screens. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

/** Waits for a message. Each message counts once, so that an earlier one with the same text is not taken for it. */
export async function said(page: Page, text: string | RegExp): Promise<void> {
  const message = page.locator('.toast:not([data-seen])').filter({ hasText: text }).first();
  await message.evaluate((element) => element.setAttribute('data-seen', ''));
}

export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Types a text, and presses a key after it. */
export async function enter(page: Page, text: string, key = 'Enter'): Promise<void> {
  await page.keyboard.type(text);
  await page.keyboard.press(key);
}

export async function choose(menu: Locator, action: string): Promise<void> {
  await menu.click();
  await menu.page().getByRole('menuitem', { name: action }).click();
}

/** Waits for the rows of a list of transactions, and gives it the focus. */
export async function enterList(page: Page): Promise<void> {
  await page.locator('.row .name').first().waitFor();
  await page.locator('[role="grid"]').focus();
}

/** Waits until a field of the active row has a text. */
export async function active(page: Page, field: string, text: string): Promise<void> {
  const cell = page.locator(`.row.active [data-field="${field}"]`);
  await cell.getByText(text, { exact: true }).waitFor();
}

/** Drops files on an element of the page, as a file manager does. */
export async function drop(
  target: Locator,
  ...files: readonly { readonly name: string; readonly text: string; readonly type?: string }[]
): Promise<void> {
  await target.evaluate((element, given) => {
    const dataTransfer = new DataTransfer();
    for (const { name, text, type = '' } of given)
      dataTransfer.items.add(new File([text], name, { type }));
    for (const type of ['dragover', 'drop'])
      element.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }, files);
}

export async function send<T>(page: Page, method: string, path: string, body?: object): Promise<T> {
  const text = await page.evaluate(
    async ([verb, target, json]) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(target, { method: verb, headers, body: json });
      return response.text();
    },
    [method, path, body === undefined ? null : JSON.stringify(body)] as const,
  );
  return (text === '' ? null : JSON.parse(text)) as T;
}

interface Answer {
  readonly total: number;
  readonly attempts: readonly object[];
}

/** Reads with the session of the page until the response is as expected: a page or a job may have sent more. */
export async function readUntil(
  page: Page,
  path: string,
  isExpected: (answer: Answer) => boolean,
): Promise<void> {
  while (!isExpected(await send<Answer>(page, 'GET', path)));
}

/** Refuses the next write to a path. */
export async function refuseOnce(page: Page, path: string, status: number): Promise<void> {
  let isDone = false;
  await page.route(path, (route) => {
    if (isDone || route.request().method() === 'GET') return route.continue();
    isDone = true;
    const json = { message: 'It was changed', errors: [] };
    return route.fulfill({ status, headers: { 'retry-after': '1' }, json });
  });
}

/** Checks that fingers find what they aim at. */
export async function checkTouchSize(...targets: readonly Locator[]): Promise<void> {
  for (const target of targets) {
    const box = await target.boundingBox();
    const size = `${await target.innerText()}: ${box?.width} × ${box?.height}`;
    assert.ok(box !== null && box.height >= 44 && box.width >= 44, size);
  }
}

/** Gives the active row of a list the category that a few letters find. */
export async function typeCategory(page: Page, letters: string): Promise<void> {
  await page.keyboard.press('c');
  await page.locator('[role="combobox"]:focus').waitFor();
  await enter(page, letters);
}
