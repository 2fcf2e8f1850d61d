import { chromium } from "playwright-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

/** A page with everything that it loaded, or tried to load, and everything that it complained about. */
export interface WatchedPage {
  page: Page;
  /** The URLs of all requests, including those that were blocked, without data URLs. */
  requested: string[];
  /** Errors in the console, uncaught errors, and violations of the content security policy. */
  complaints: string[];
}

/** The script that reports violations of the content security policy of a page. */
const reportViolations = `
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
  reportViolation("violates " + violatedDirective + ": " + blockedURI);
});
`;

/** Starts Chromium. It can resolve no name, and reaches no address but this machine's. */
export function startChromium(path: string): Promise<Browser> {
  return chromium.launch({
    executablePath: path,
    args: ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
  });
}

/** Creates a context, with what it keeps apart from that of others: cookies, stores and files that were loaded. */
export async function createContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ ...options, serviceWorkers: "block" });
  // A busy machine takes long to start a page.
  context.setDefaultTimeout(60_000);
  return context;
}

/**
 * Opens a page. Requests to other hosts are recorded, and fail, because the browser resolves no name. They are not intercepted: Chromium then
 * keeps nothing in its cache, and each page would load and compile all code again.
 */
export async function openPage(context: BrowserContext, origin: string, path: string): Promise<WatchedPage> {
  const page = await context.newPage();
  const watched: WatchedPage = { page, requested: [], complaints: [] };
  const { requested, complaints } = watched;
  context.on("request", (request) => {
    if (!request.url().startsWith("data:")) requested.push(request.url());
  });
  page.on("websocket", (socket) => requested.push(socket.url()));
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.exposeFunction("reportViolation", (text: string) => complaints.push(text));
  await page.addInitScript({ content: reportViolations });
  await page.goto(`${origin}${path}`);
  return watched;
}
