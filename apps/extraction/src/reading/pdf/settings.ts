import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { getDocument } from "pdfjs-dist";

/** Returns the settings of pdf.js: nothing is loaded or printed. Fonts and character maps come from the package's own folders. */
export function getPdfSettings(): Parameters<typeof getDocument>[0] & object {
  const home = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
  return {
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    disableAutoFetch: true,
    cMapUrl: join(home, "cmaps/"),
    cMapPacked: true,
    standardFontDataUrl: join(home, "standard_fonts/"),
    // Decoders of pictures, which are only loaded for scans.
    wasmUrl: join(home, "wasm/"),
  };
}
