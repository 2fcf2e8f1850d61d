import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { createDocument } from "../http/document.ts";
import type { FixedFile } from "../http/fixed-document.ts";

/** The page of the console, made for one response, or one of the files that it loads. */
export type ConsoleFile =
  | { readonly kind: "page"; readonly html: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: "asset"; readonly file: FixedFile };

/** The console: the page at `/` and at every path under `/console`, and what it loads. */
export interface Console {
  /** Returns what to serve at a path, undefined if it does not belong to the console. A file is read when it is first requested. */
  find(path: string): Promise<ConsoleFile | undefined>;
}

const mediaTypes: Readonly<Record<string, string>> = { ".js": "text/javascript", ".css": "text/css" };

/** The page in place of the console if it was not built, as after `npm ci --ignore-scripts`. */
const notBuilt = `<!doctype html><html lang="en"><title>Switchyard</title>
<h1>The console is not built</h1><p>Run <code>npm run build:console</code> and load this page again.</p>
<p>The API is described at <a href="/docs">/docs</a>.</p></html>\n`;

/**
 * Creates the console from the files that its build wrote. The names of assets contain a hash of their content, so that browsers can cache
 * them permanently; the page is never cached.
 */
export function createConsole(folder: string = findBuild()): Console {
  const assets = new Map<string, FixedFile>();

  async function findAsset(path: string): Promise<ConsoleFile | undefined> {
    const known = assets.get(path);
    if (known !== undefined) return { kind: "asset", file: known };
    const name = path.slice("/assets/".length);
    const mediaType = mediaTypes[extname(name)];
    // Only names that the folder has are read: a path cannot lead out of it.
    if (mediaType === undefined || !(await list(join(folder, "assets"))).includes(name)) return undefined;
    const file = {
      document: createDocument(await readFile(join(folder, "assets", name))),
      mediaType,
      headers: { "cache-control": "public, max-age=31536000, immutable" },
    };
    assets.set(path, file);
    return { kind: "asset", file };
  }

  return {
    async find(path) {
      if (path.startsWith("/assets/")) return findAsset(path);
      if (path !== "/" && path !== "/console" && !path.startsWith("/console/")) return undefined;
      const nonce = randomBytes(16).toString("base64url");
      const html = await readPage(join(folder, "index.html"));
      return {
        kind: "page",
        html: html.replace("%CSP_NONCE%", nonce),
        headers: {
          "cache-control": "no-store",
          "referrer-policy": "no-referrer",
          "content-security-policy": getPolicy(nonce),
        },
      };
    },
  };
}

/**
 * What the page may load and do: its own scripts, styles and requests, and pictures that it has received as data. Scripts in the markup are
 * not executed. Style elements need the nonce of the response, because the components of the page write their measures into one.
 */
function getPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function findBuild(): string {
  return join(dirname(createRequire(import.meta.url).resolve("@switchyard/console/package.json")), "dist");
}

async function readPage(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return notBuilt;
    throw error;
  }
}

async function list(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
