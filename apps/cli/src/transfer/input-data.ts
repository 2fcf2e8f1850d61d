import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { printable } from "@switchyard/terminal";
import { UsageError } from "../terminal/exit-codes.ts";
import { readInput, type Io } from "../terminal/io.ts";

/**
 * Reads the data that an option names: the text itself, `@FILE` for the bytes of a file, or `-` for those of standard input.
 * @throws UsageError if the file cannot be read
 */
export async function readData(
  io: Pick<Io, "stdin" | "folder" | "signal">,
  text: string,
): Promise<Uint8Array<ArrayBuffer>> {
  if (text === "-") {
    const chunks: Buffer[] = [];
    for await (const chunk of readInput(io)) chunks.push(Buffer.from(chunk as Uint8Array | string));
    return new Uint8Array(Buffer.concat(chunks));
  }
  if (!text.startsWith("@")) return new TextEncoder().encode(text);
  const path = text.slice(1);
  try {
    return new Uint8Array(await readFile(resolve(io.folder, path)));
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Reads the fields of a form in the form `NAME=VALUE`, where a value is text, or `@FILE` for a file.
 * @throws UsageError if a field has another form, or a file cannot be read
 */
export async function readForm(
  io: Pick<Io, "stdin" | "folder" | "signal">,
  fields: readonly string[],
): Promise<FormData> {
  const form = new FormData();
  for (const field of fields) {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(field) ?? [];
    if (name === "") throw new UsageError(`--form takes NAME=VALUE, not "${printable(field)}"`);
    if (value.startsWith("@")) form.append(name, new Blob([await readData(io, value)]), basename(value.slice(1)));
    else form.append(name, value);
  }
  return form;
}

/**
 * Reads JSON from an option, in the forms of `readData`.
 * @throws UsageError if it is not JSON
 */
export async function readJson(
  io: Pick<Io, "stdin" | "folder" | "signal">,
  option: string,
  text: string,
): Promise<unknown> {
  return parseJson(await readData(io, text), `--${option} takes JSON, @FILE or - for standard input`);
}

/**
 * Parses JSON in UTF-8.
 * @throws UsageError with the message and what is wrong, if it is not JSON
 */
export function parseJson(bytes: Uint8Array, message: string): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new UsageError(`${message}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
