import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createDocument } from "../http/document.ts";
import type { FixedFile } from "../http/fixed-document.ts";

/** The viewer of the API: the page at `/docs` and what it loads. */
export interface Viewer {
  /** Returns the file with this path, undefined if there is none. A file is read when it is first requested. */
  find(path: string): Promise<FixedFile | undefined>;
}

/**
 * What the page may load and do. All of it comes from this server; the images in the style sheet of Swagger UI are data URLs. Scripts and
 * styles in the markup are not executed, so that text of the description cannot become code.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const script = "text/javascript";
const style = "text/css";

/** Creates the viewer from our page and the files of `swagger-ui-dist`, none of which loads anything from other hosts. */
export function createViewer(): Viewer {
  const own = join(import.meta.dirname, "page");
  const swagger = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const sources = new Map([
    ["/docs", { file: join(own, "page.html"), mediaType: "text/html" }],
    ["/docs/page.js", { file: join(own, "page.js"), mediaType: script }],
    ["/docs/page.css", { file: join(own, "page.css"), mediaType: style }],
    ["/docs/swagger-ui-bundle.js", { file: join(swagger, "swagger-ui-bundle.js"), mediaType: script }],
    ["/docs/swagger-ui.css", { file: join(swagger, "swagger-ui.css"), mediaType: style }],
  ]);
  const found = new Map<string, FixedFile>();
  return {
    async find(path) {
      const source = sources.get(path);
      if (source === undefined) return undefined;
      const known = found.get(path);
      if (known !== undefined) return known;
      const read = await readViewerFile(source.file, source.mediaType);
      const file = found.get(path) ?? read;
      found.set(path, file);
      return file;
    },
  };
}

async function readViewerFile(file: string, mediaType: string): Promise<FixedFile> {
  // A browser keeps the files, and asks each time whether they have changed.
  const headers = { "cache-control": "no-cache", "referrer-policy": "no-referrer" };
  return {
    document: createDocument(await readFile(file)),
    mediaType,
    headers: mediaType === "text/html" ? { ...headers, "content-security-policy": contentSecurityPolicy } : headers,
  };
}
