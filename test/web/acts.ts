/* What a person does or sees on several screens. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { urlOf } from '../../packages/web/src/api/request.ts';
import type { RequestOf, ResponseOf, Route } from '../../packages/web/src/api/request.ts';

/**
 * Presses keys and clicks, and waits for a message. Each message counts once, so that an earlier one with the same text
 * is not taken for it.
 */
export async function said(
  page: Page,
  text: string | RegExp,
  ...by: readonly (string | Locator)[]
): Promise<void> {
  for (const each of by)
    if (typeof each === 'string') await page.keyboard.press(each);
    else await each.click();
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

/** Fills in a field, and presses Enter. */
export async function fillEnter(field: Locator, text: string): Promise<void> {
  await field.fill(text);
  await field.page().keyboard.press('Enter');
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

/** Sends a request with the session of the page, as soon as the server takes it: a page has a limit of requests. */
export async function send<R extends Route>(
  page: Page,
  route: R,
  options: RequestOf<R>,
): Promise<ResponseOf<R>> {
  const [method = ''] = route.split(' ');
  const { body } = options as { readonly body?: unknown };
  const text = await page.evaluate(
    async ([verb, target, json]) => {
      const headers = { 'content-type': 'application/json' };
      for (;;) {
        const response = await fetch(target, { method: verb, headers, body: json });
        if (response.status !== 429) return response.text();
        const waitMs = Number(response.headers.get('retry-after')) * 1000;
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    },
    [method, urlOf(route, options), body === undefined ? null : JSON.stringify(body)] as const,
  );
  return (text === '' ? undefined : JSON.parse(text)) as ResponseOf<R>;
}

/** Reads with the session of the page until the response is as expected: a page or a job may have sent more. */
export async function readUntil<R extends Route>(
  page: Page,
  route: R,
  options: RequestOf<R>,
  isExpected: (response: ResponseOf<R>) => boolean,
): Promise<void> {
  while (!isExpected(await send(page, route, options)));
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

/** Checks that the messages cover nothing that is needed: what has the focus, the active row, bars and navigation. */
export async function checkToastsCoverNothing(page: Page): Promise<void> {
  const covered = await page.evaluate(async () => {
    // The room for messages is made after they are measured.
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    const toasts = [...document.querySelectorAll('.toast')].map((each) =>
      each.getBoundingClientRect(),
    );
    const parts = [
      document.activeElement,
      ...document.querySelectorAll('.row.active, .bulk-bar, .grid, nav'),
    ];
    const isBelow = (part: DOMRect): boolean =>
      toasts.some(
        (t) =>
          part.left < t.right && part.right > t.left && part.top < t.bottom && part.bottom > t.top,
      );
    const found = parts.filter(
      (part) => part !== null && part !== document.body && isBelow(part.getBoundingClientRect()),
    );
    return [
      toasts.length === 0 ? 'no message' : [],
      found.map((part) => part!.outerHTML.slice(0, 80)),
    ].flat();
  });
  assert.deepEqual(covered, []);
}
