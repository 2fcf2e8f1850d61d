import type { OpenResponse } from "@switchyard/client";
import { printable, printableJson } from "@switchyard/terminal";
import { randomUUID } from "node:crypto";
import { open, realpath, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Context } from "../context.ts";
import { exitCodes, Failure } from "../terminal/exit-codes.ts";
import type { Io } from "../terminal/io.ts";

type Body = Pick<OpenResponse, "headers" | "chunks">;

/**
 * Writes a body to the file of --output-file, and notes its size; without it, or if it is `-`, to standard output, with indented JSON on a
 * terminal.
 */
export async function deliverBody(context: Context, body: Body, file: string | undefined): Promise<void> {
  const { io, json } = context;
  if (file === undefined || file === "-") await printBody(io, body, !json);
  else context.note(`${file}: ${await saveBody(io, body, file)} bytes`);
}

/**
 * Writes a body to standard output while it arrives: its bytes in a pipe or a file; on a terminal, text without characters that a terminal
 * would interpret, and JSON with indentation if `indent` is set.
 * @throws Failure if the body is neither text nor JSON, and the output is a terminal
 */
async function printBody({ stdout }: Pick<Io, "stdout">, { headers, chunks }: Body, indent: boolean) {
  if (!stdout.isTerminal) {
    for await (const chunk of chunks) {
      stdout.write(chunk);
      await stdout.ready();
    }
    return;
  }
  const type =
    /^[^;]*/
      .exec(headers.get("content-type") ?? "")?.[0]
      .trim()
      .toLowerCase() ?? "";
  if (/^application\/([\w.-]+\+)?json$/.test(type)) {
    const text = await readText(chunks);
    if (text !== "") stdout.write(`${printableJson(indent ? indented(text) : text)}\n`);
  } else if (/^text\/|^application\/([\w.-]+\+)?(x-ndjson|jsonl|xml)$/.test(type)) await printText(stdout, chunks);
  else {
    const { done } = await chunks.next();
    await chunks.return();
    if (done !== true) throw new Failure(exitCodes.usage, notText(type));
  }
}

function notText(type: string): string {
  return `the response is ${type || "of an unknown type"}, which is not shown on a terminal: use --output-file, or redirect the output to a file`;
}

async function printText(stdout: Io["stdout"], chunks: Body["chunks"]): Promise<void> {
  const decoder = new TextDecoder();
  const write = (text: string): void =>
    stdout.write(
      text
        .split(/(\r?\n|\t)/)
        .map((part) => (/^(\r?\n|\t)$/.test(part) ? part : printable(part)))
        .join(""),
    );
  for await (const chunk of chunks) {
    write(decoder.decode(chunk, { stream: true }));
    await stdout.ready();
  }
  write(decoder.decode());
}

async function readText(chunks: Body["chunks"]): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** Indents JSON. Text that is not JSON is returned unchanged. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/**
 * Writes a body to a file, relative to the working folder, and resolves with its size in bytes. The file appears, or replaces another, when
 * it is complete. A link keeps its place, and a device or a named pipe is written to.
 */
async function saveBody({ folder }: Pick<Io, "folder">, { chunks }: Body, file: string): Promise<number> {
  const named = resolve(folder, file);
  const path = await realpath(named).catch(() => named);
  const replaced = await stat(path).catch(() => undefined);
  const isReplaced = replaced?.isFile() ?? true;
  // Not named after the file, whose name may be as long as a name can be.
  const written = isReplaced ? join(dirname(path), `.switchyard-${randomUUID()}.part`) : path;
  let handle: FileHandle | undefined;
  let size = 0;
  try {
    // Whoever may not read the file that is replaced may not read this one.
    handle = await open(written, "w", replaced?.mode);
    // The umask applies to new files, so whoever may read or write the one that is replaced might not any more.
    if (isReplaced && replaced !== undefined) await handle.chmod(replaced.mode);
    for await (const chunk of chunks) {
      await handle.writeFile(chunk);
      size += chunk.byteLength;
    }
    await handle.close();
    if (isReplaced) await rename(written, path);
    return size;
  } catch (error) {
    await chunks.return();
    await handle?.close().catch(() => undefined);
    if (isReplaced) await rm(written, { force: true });
    throw error;
  }
}
