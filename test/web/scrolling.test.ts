import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { isLong } from '../../packages/core/src/testing/length.ts';
import { enterList, press } from './acts.ts';
import { settled } from './browser.ts';
import { webSuite } from './suite.ts';

const most = { heapBytes: 40_000_000, newRowsPer5: 8, changedRowsOfKey: 2 };
const rowCount = isLong ? 100_000 : 5000;

webSuite(`a list of ${rowCount} transactions`, rowCount, ({ open }) => {
  async function openList(): Promise<{ page: Page; session: CDPSession }> {
    const page = await open('/transactions');
    await enterList(page);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    return { page, session };
  }

  async function metric(session: CDPSession, name: string): Promise<number> {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find((each) => each.name === name)?.value ?? Number.NaN;
  }

  /** Scrolls by 5 rows at each frame; counts frames with a visible row without content, and rows that were made. */
  const scroll = (page: Page, frames: number): Promise<{ blank: number; made: number }> =>
    page.evaluate(async (count) => {
      const grid = document.querySelector('[role="grid"]')!;
      let [blank, made] = [0, 0];
      const observer = new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes)
            if (node instanceof Element && node.matches('.row')) made += 1;
      });
      observer.observe(grid, { childList: true, subtree: true });
      for (let frame = 0; frame < count; frame += 1) {
        grid.scrollTop += 5 * 36;
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        const { top, bottom, left } = grid.getBoundingClientRect();
        const isBlank = [top + 10, (top + bottom) / 2, bottom - 10].some(
          (y) => document.elementFromPoint(left + 60, y)?.closest('.row') === null,
        );
        if (isBlank) blank += 1;
      }
      observer.disconnect();
      return { blank, made };
    }, frames);

  test('the list has its new height at once, with reduced motion too', async () => {
    const { page } = await openList();
    const height = await page.locator('.rows').evaluate((rows) => {
      (rows as HTMLElement).style.height = '12345px';
      return rows.clientHeight;
    });
    assert.equal(height, 12_345);
  });

  test('scrolling makes only the rows that come into view, and shows one at every place', async (context) => {
    const { page } = await openList();
    await scroll(page, 20);
    await settled(page);
    const frames = 60;
    const { blank, made } = await scroll(page, frames);
    context.diagnostic(`${made / frames} new rows per 5 rows`);
    assert.equal(blank, 0);
    assert.ok(made / frames <= most.newRowsPer5, `${made} rows`);
  });

  test('a key goes to its row when the list becomes lower in the same moment', async () => {
    const { page } = await openList();
    await press(page, 'PageDown');
    await page.locator('.row.active[aria-rowindex="16"] .name').waitFor();
    await page.evaluate(() => {
      const grid = document.querySelector('[role="grid"]')!;
      // Before the effects of the lower list, some rows of which leave.
      const observer = new MutationObserver(() => {
        observer.disconnect();
        grid.dispatchEvent(new KeyboardEvent('keydown', { key: 'G', bubbles: true }));
      });
      observer.observe(grid, { childList: true, subtree: true });
    });
    await page.setViewportSize({ width: 1280, height: 600 });
    const last = await page.locator('[role="grid"]').getAttribute('aria-rowcount');
    await page.locator(`.row.active[aria-rowindex="${last}"] .name`).waitFor();
  });

  test('a walk through all of it keeps the memory and the page small', async (context) => {
    const { page, session } = await openList();
    const step = isLong ? 2000 : 1000;
    for (let row = 0; row < rowCount * 0.9; row += step) {
      await page.evaluate((top) => {
        document.querySelector('[role="grid"]')!.scrollTop = top;
      }, row * 36);
      await page.locator(`[data-place="${row}"] .name`).waitFor();
    }
    assert.ok((await page.locator('.row').count()) < 100);
    await session.send('HeapProfiler.collectGarbage');
    const bytes = await metric(session, 'JSHeapUsedSize');
    context.diagnostic(`${(bytes / 1e6).toFixed(1)} MB of heap`);
    assert.ok(bytes <= most.heapBytes, `${bytes} bytes`);
  });

  test('a key changes the row that it leaves, and the one that it comes to', async () => {
    const { page } = await openList();
    await press(page, 'j', 'j', 'j');
    await settled(page);
    const changed = await page.evaluateHandle(() => {
      const rows = new Set<Element>();
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const row = target instanceof Element ? target.closest('.row') : null;
          if (row !== null) rows.add(row);
        }
      }).observe(document.querySelector('.rows')!, {
        ...{ subtree: true, childList: true, attributes: true, characterData: true },
      });
      return rows;
    });
    await page.keyboard.press('j');
    await settled(page);
    const count = await changed.evaluate((rows) => rows.size);
    assert.ok(count > 0 && count <= most.changedRowsOfKey, `${count} rows`);
  });
});
