/* A page of the browser UI that waits for nothing, and what it shows. */
import { createHash } from 'node:crypto';
import type { Page, Request } from 'playwright-core';

declare global {
  /** How many requests, short timers and steps of rendering of the page are not finished. */
  var cofferPending: number;
  /** How many times in a row the page waited for nothing when it was looked at. */
  var cofferStillFor: number;
}

/** Runs in a page before its code: stops its clock, while its timers run. */
export function fixClock(atMs: number): void {
  const Clock = Date;
  globalThis.Date = class extends Clock {
    constructor(...given: readonly unknown[]) {
      if (given.length === 0) super(atMs);
      else super(...(given as [number]));
    }
    static override now(): number {
      return atMs;
    }
  } as typeof Date;
}

/**
 * Runs in the page before its code: counts what it waits for, and never hides a message, so that what a page shows does
 * not depend on the speed of the machine.
 */
export function quiet(): void {
  const [request, later, never] = [fetch, setTimeout, clearTimeout];
  globalThis.cofferPending = 0;
  globalThis.cofferStillFor = 0;
  const counted = <T>(wait: Promise<T>): Promise<T> => {
    globalThis.cofferPending += 1;
    return wait.finally(() => later(() => (globalThis.cofferPending -= 1)));
  };
  globalThis.fetch = async (...given) => {
    const response = await counted(request(...given));
    for (const name of ['json', 'text', 'blob'] as const) {
      const read = response[name].bind(response) as () => Promise<unknown>;
      Object.assign(response, { [name]: () => counted(read()) });
    }
    return response;
  };
  // React renders in steps, and sends itself a message for each next one.
  globalThis.MessageChannel = class extends MessageChannel {
    constructor() {
      super();
      for (const port of [this.port1, this.port2]) {
        const post = port.postMessage.bind(port) as (...given: unknown[]) => void;
        port.postMessage = (...given: unknown[]) => {
          globalThis.cofferPending += 1;
          post(...given);
        };
        port.addEventListener('message', () => later(() => (globalThis.cofferPending -= 1)));
      }
    }
  };
  const waiting = new Set<unknown>();
  const end = (timer: unknown): void => {
    if (waiting.delete(timer)) globalThis.cofferPending -= 1;
  };
  globalThis.setTimeout = ((run: () => void, ms = 0) => {
    if (ms >= 3000) return later(() => undefined);
    globalThis.cofferPending += 1;
    const timer: unknown = later(() => {
      end(timer);
      run();
    }, ms);
    waiting.add(timer);
    return timer;
  }) as typeof setTimeout;
  globalThis.clearTimeout = (timer) => {
    end(timer);
    never(timer);
  };
}

/** The parts of the code that a page is loading, which it does not see itself. */
const loadingParts = new WeakMap<Page, Set<Request>>();

/** Follows which parts of the code a page loads. */
export function followParts(page: Page): void {
  const parts = new Set<Request>();
  loadingParts.set(page, parts);
  page.on('request', (sent) => {
    if (sent.resourceType() === 'script') parts.add(sent);
  });
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', (sent) => {
      parts.delete(sent);
    });
}

/** Waits until the page waits for nothing. */
export async function stillness(page: Page): Promise<void> {
  do await lookedAt(page);
  while (loadingParts.get(page)?.size !== 0);
}

async function lookedAt(page: Page): Promise<void> {
  await page.evaluate(() => (globalThis.cofferStillFor = 0));
  await page.waitForFunction(
    () => {
      const isStill =
        document.querySelector('#root > *') !== null &&
        document.querySelector('.loading, [aria-busy="true"]') === null &&
        document.getAnimations().every(({ playState }) => playState !== 'running') &&
        globalThis.cofferPending === 0;
      globalThis.cofferStillFor = isStill ? globalThis.cofferStillFor + 1 : 0;
      return globalThis.cofferStillFor > 2;
    },
    null,
    { polling: 25 },
  );
}

/** The names of currencies and languages are those of the browser. */
const mostOptions = 10;

/** Returns the lines of what a page shows: roles, names, texts and values, without the menu that every page has. */
export async function linesOf(page: Page): Promise<string[]> {
  await stillness(page);
  const { pathname, search } = new URL(page.url());
  const lines = linesIn(await page.locator('body').ariaSnapshot());
  const from = lines.findIndex((line) => line.startsWith('- status'));
  const focus = await page.evaluate(() => {
    const { tagName, textContent } = document.activeElement ?? document.body;
    const label = document.activeElement?.getAttribute('aria-label') ?? textContent;
    return tagName === 'BODY' ? 'nothing' : `${tagName} ${label.trim().slice(0, 40)}`;
  });
  return [`at ${pathname}${search}, focus on ${focus}`, ...lines.slice(Math.max(from, 0))];
}

/** Returns the lines of a snapshot without durations, cells (the name of a row has their texts), and long lists. */
export function linesIn(snapshot: string): string[] {
  let options = 0;
  const lasting = snapshot.replaceAll(/\b\d+ ms\b/g, 'N ms');
  return lasting.split('\n').filter((line) => {
    options = line.includes('- option "') ? options + 1 : 0;
    const isOfRow = /- (gridcell|cell|rowheader)( "[^"]*")?$/.test(line);
    return !isOfRow && (options <= mostOptions || line.includes('[selected]'));
  });
}

/** The address and all texts of a page: enough to see whether it has changed. */
export async function textOf(page: Page): Promise<string> {
  return page.evaluate(() => `${location.href} ${document.body.textContent}`);
}

/** Returns a line with the shapes of the charts, and of bars whose length is a share. */
export async function shapesOf(page: Page): Promise<string> {
  const shapes = await page.evaluate(() => [
    ...[...document.querySelectorAll('main .chart svg')].map((chart) => chart.innerHTML),
    ...[...document.querySelectorAll('main [style*="%"]')].map((bar) => bar.getAttribute('style')),
  ]);
  const digest = createHash('sha256').update(JSON.stringify(shapes)).digest('hex').slice(0, 8);
  return `shapes ${shapes.length} ${digest}`;
}

/** What can be pressed on a page: of controls for several records, the one of the first record. */
export async function controlsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const controls = 'button:not([slot="drag"]), summary, [role="tab"], input[type="checkbox"]';
    const all = [...document.querySelectorAll<HTMLElement>(`main :is(${controls})`)];
    const kinds = new Map<string, string>();
    for (const [n, each] of all.entries()) {
      if (!each.checkVisibility() || (each as HTMLButtonElement).disabled) continue;
      const text = [each.getAttribute('aria-label'), each.textContent, each.title, each.className];
      const name = text.find((one) => one !== null && one.trim() !== '') ?? '';
      const kind = `${each.tagName} ${each.className} ${/^[\p{L}]*/u.exec(name.trim())![0]}`;
      if (kinds.has(kind)) continue;
      each.setAttribute('data-control', `${n}`);
      kinds.set(kind, `${n} ${name.trim().slice(0, 40)}`);
    }
    return [...kinds.values()];
  });
}
