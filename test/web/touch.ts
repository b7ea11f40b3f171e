/* What fingers do: the browser's own protocol alone can send it. */
import assert from 'node:assert/strict';
import type { CDPSession, Locator, Page } from 'playwright-core';

export interface Point {
  readonly x: number;
  readonly y: number;
}

type Kind = 'touchStart' | 'touchMove' | 'touchEnd' | 'touchCancel';

/** Returns what sends the touches of a page. */
export async function fingersOf(
  page: Page,
): Promise<(type: Kind, ...at: Point[]) => Promise<void>> {
  const session: CDPSession = await page.context().newCDPSession(page);
  return async (type, ...touchPoints) => {
    const points = touchPoints.map((each, id) => ({ ...each, id }));
    await session.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  };
}

/** A finger that stays until something is shown. */
export async function pressLong(page: Page, at: Point, shown: Locator): Promise<void> {
  const touch = await fingersOf(page);
  await touch('touchStart', at);
  await shown.waitFor();
  await touch('touchEnd');
}

export async function middleOf(element: Locator): Promise<Point> {
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  assert.ok(box !== null);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Makes a page hear of touches as on iOS: without `contextmenu`, and with a click after a touch, unless prevented. */
export async function touchAsOnIos(page: Page): Promise<void> {
  await page.evaluate(() => {
    const stop = (event: Event): void => {
      event.stopImmediatePropagation();
      event.preventDefault();
    };
    window.addEventListener('contextmenu', stop, true);
    let started = 0;
    let isStill = true;
    window.addEventListener('touchstart', ({ timeStamp, touches }) => {
      started = timeStamp;
      isStill = touches.length === 1;
    });
    window.addEventListener('touchmove', () => (isStill = false));
    window.addEventListener('touchend', (event) => {
      // This browser clicks after short ones itself.
      if (isStill && !event.defaultPrevented && event.timeStamp - started > 400)
        (event.target as HTMLElement).dispatchEvent(new MouseEvent('click', { bubbles: true }));
    });
  });
}

/** Waits, by a timer of the page that is later than that of a press, until the press would have been a long one. */
export async function pastLongPress(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => void setTimeout(resolve, 600)));
}
