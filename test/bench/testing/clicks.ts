import type { Browser, Locator, Page } from "playwright-core";

/** What a person sees: an element with a text, all of it or a part. */
export interface Shown {
  /** A CSS selector. */
  readonly selector: string;
  readonly text?: string;
}

/** A click in the console, and what the person asked for by it. */
export interface Click {
  readonly name: string;
  readonly control: Locator;
  /** All of these must be visible, and not all of them may be before. */
  readonly shown: readonly Shown[];
}

/** How long a click took, in milliseconds from the event of the browser to a frame on the screen. */
export interface ClickTimes {
  /** To the next frame, as the Event Timing API reports it for Interaction to Next Paint. */
  readonly nextPaintMs: number;
  /** To the first frame with everything that the person asked for. */
  readonly shownMs: number;
}

/**
 * Runs in the page, so that neither the driver of the browser nor its queue is part of a figure. `watchClick` waits for the next click, and
 * then looks in each frame for what should be shown. The end is a task after that frame, so the frame was painted.
 */
const watching = `
globalThis.interactions = [];
new PerformanceObserver((list) => {
  for (const { interactionId, startTime, duration } of list.getEntries())
    if (interactionId > 0) globalThis.interactions.push({ startTime, duration });
}).observe({ type: "event", durationThreshold: 16 });
globalThis.watchClick = (wanted) => {
  const isVisible = (element) => element.checkVisibility() && element.getBoundingClientRect().height > 0;
  const isShown = ({ selector, text = "" }) =>
    [...document.querySelectorAll(selector)].some((element) => element.textContent.includes(text) && isVisible(element));
  if (wanted.every(isShown)) throw new Error("shown before the click: " + JSON.stringify(wanted));
  const painted = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    requestAnimationFrame(() => port2.postMessage(undefined));
  });
  globalThis.watched = new Promise((resolve, reject) => {
    document.addEventListener("click", ({ timeStamp }) => {
      const look = () => {
        if (performance.now() - timeStamp > 30000) reject(new Error("not shown: " + JSON.stringify(wanted)));
        else if (wanted.every(isShown)) void painted().then((now) => resolve({ timeStamp, shownMs: now - timeStamp }));
        else requestAnimationFrame(look);
      };
      look();
    }, { capture: true, once: true });
  }).then(async ({ timeStamp, shownMs }) => {
    // Entries arrive some time after their frame. An interaction below the threshold has none.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const durations = globalThis.interactions.filter(({ startTime }) => Math.abs(startTime - timeStamp) < 50);
    return { shownMs, nextPaintMs: Math.max(16, ...durations.map(({ duration }) => duration)) };
  });
  globalThis.watched.catch(() => undefined);
};
`;

/** A page in which clicks can be measured, and its errors. */
export interface MeasuredPage {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** Opens an empty page in which clicks can be measured. Its browser cache works, unlike that of pages whose requests are watched. */
export async function openMeasuredPage(browser: Browser): Promise<MeasuredPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(60_000);
  await context.addInitScript({ content: watching });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  return { page, complaints };
}

/** The time for which the pointer rests on a control before the click, in milliseconds, because a hand also stops before it presses. */
const restMs = 100;

/** Points to a control, clicks, and returns how long the click took. */
export async function measureClick(page: Page, { control, shown }: Click): Promise<ClickTimes> {
  await control.waitFor();
  await page.evaluate(`watchClick(${JSON.stringify(shown)})`);
  await control.hover();
  await page.waitForTimeout(restMs);
  await control.click();
  return page.evaluate("globalThis.watched");
}
