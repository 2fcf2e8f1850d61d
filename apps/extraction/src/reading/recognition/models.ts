import { readFile } from "node:fs/promises";
import type { InferenceSession } from "onnxruntime-web/wasm";
import type { ModelFiles } from "./model-files.ts";
import { readMetadata } from "./onnx-metadata.ts";

/** The models of a recognizer, and the characters that it knows: class 1 of its output is the first. */
export interface Models {
  readonly detection: Model;
  readonly direction: Model;
  readonly recognition: Model;
  readonly alphabet: readonly string[];
  /** Whether the recognition model may write the spaces between words. That of PP-OCRv4 leaves out most of them. */
  readonly mayWriteSpaces: boolean;
}

/** A model with one input and one output. */
export interface Model {
  /** Computes the output for an input of the given dimensions. */
  run(
    input: Float32Array,
    dimensions: readonly number[],
  ): Promise<{ values: Float32Array; dimensions: readonly number[] }>;
}

/** Loads the models. Everything comes from these files; nothing is fetched. One thread computes, so that results do not vary. */
export async function loadModels(files: ModelFiles): Promise<Models> {
  const runtime = await import("onnxruntime-web/wasm");
  runtime.env.wasm.numThreads = 1;
  runtime.env.wasm.proxy = false;
  runtime.env.logLevel = "error";
  const load = async (name: string): Promise<Model> => {
    const session = await runtime.InferenceSession.create(await readFile(name));
    const run = async (input: Float32Array, dimensions: readonly number[]): ReturnType<Model["run"]> => {
      const tensor = new runtime.Tensor("float32", input, dimensions);
      const output = (await session.run({ [nameOf(session.inputNames)]: tensor }))[nameOf(session.outputNames)];
      if (output === undefined) throw new Error(`the model ${name} has no output`);
      return { values: output.data as Float32Array, dimensions: output.dims };
    };
    return { run };
  };
  return {
    detection: await load(files.detection),
    direction: await load(files.direction),
    recognition: await load(files.recognition),
    alphabet: await readAlphabet(files),
    // Models that contain their alphabet are newer.
    mayWriteSpaces: files.alphabet === undefined,
  };
}

/** Reads the characters of a recognition model. The last class is the space, which files and models leave out. */
async function readAlphabet({ alphabet, recognition }: ModelFiles): Promise<string[]> {
  const lines =
    alphabet === undefined
      ? (readMetadata(await readFile(recognition)).get("character") ?? "")
      : await readFile(alphabet, "utf8");
  return [...lines.replace(/\r?\n$/, "").split(/\r?\n/), " "];
}

function nameOf(names: InferenceSession["inputNames"]): string {
  return names[0] ?? "";
}
