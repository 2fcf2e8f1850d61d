import type { WatchedPage } from "../viewer/browsing.ts";

/**
 * Returns where a word is kept beyond the session of the tab: in the addresses of requests and of the history, and in the stores of the
 * browser. What the tab itself keeps (`sessionStorage`) does not count, nor does what someone typed as an address, which no page can change.
 */
export async function findKept({ page, requested }: WatchedPage, word: string): Promise<string[]> {
  const context = page.context();
  const { cookies, origins } = await context.storageState({ indexedDB: true });
  const debugging = await context.newCDPSession(page);
  const { entries } = await debugging.send("Page.getNavigationHistory");
  await debugging.detach();
  const kept = {
    requests: requested,
    history: entries.map(({ url, title }) => [url, title]),
    state: await page.evaluate("history.state"),
    cookies,
    localStorage: origins.map(({ localStorage }) => localStorage),
    indexedDB: origins.map(({ localStorage: _, ...others }) => others),
    caches: await page.evaluate(readCaches),
  };
  return Object.entries(kept).flatMap(([place, content]) => (JSON.stringify(content).includes(word) ? [place] : []));
}

/** Keeps a word in each of these places but the requests, so that a test of them is known to find it there. */
export async function keepEverywhere({ page }: WatchedPage, word: string): Promise<void> {
  await page.evaluate(`(async (word) => {
    history.pushState({ word }, "", location.pathname + "?" + word);
    document.cookie = "kept=" + word;
    localStorage.setItem("kept", word);
    await (await caches.open("kept")).put("/kept", new Response(word));
    const opening = indexedDB.open("kept", 1);
    await new Promise((resolve, reject) => {
      opening.onupgradeneeded = () => void opening.result.createObjectStore("kept").put(word, "kept");
      opening.onsuccess = resolve;
      opening.onerror = reject;
    });
    opening.result.close();
  })(${JSON.stringify(word)})`);
}

const readCaches = `(async () => {
  const found = [];
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys())
      found.push([name, request.url, [...request.headers], await (await cache.match(request)).text()]);
  }
  return found;
})()`;
