import { hash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { invalid, notFound } from "@switchyard/rpc";

/** A file as the probe received it. */
export interface StoredFile {
  readonly projectId: string;
  readonly filename: string;
  readonly contentType: string;
  readonly data: Buffer;
}

/** What happened to files. */
export interface FileProbe {
  readonly stored: StoredFile[];
  /** The numbers of uploads that have reached their service, and of those that have ended, successfully or not. */
  readonly uploads: { begun: number; ended: number };
  /** The numbers of downloads that have started at their service, and of those that have ended, successfully or not. */
  readonly downloads: { begun: number; ended: number };
}

/** The bytes of every file whose ID begins with `fil_`. */
export const fileBytes: Buffer = Buffer.concat([
  Buffer.from("%PDF-"),
  ...Array.from({ length: 40 }, (_, index) => Buffer.alloc(65_536, index)),
]);

/** A text of several pieces, as an export has it. Its size is not known before its end. */
export const exportedText: Buffer = Buffer.concat(Array.from({ length: 5 }, () => Buffer.alloc(65_536, "a,b,1\r\n")));

/** Creates the methods that store and return files. IDs select how a file behaves, such as `fil_damaged`, `broken` and `trickle`. */
export function createFileMethods(
  probe: FileProbe,
): Pick<ServiceImpl<typeof ExtractionService>, "uploadFile" | "getFileContent" | "getFile"> {
  return {
    getFile({ fileId }) {
      if (fileId === "none") throw notFound("file", fileId);
      return { id: fileId, filename: fileId === "fil_long" ? "a".repeat(2_000) : "a.pdf", size: fileBytes.length };
    },

    async uploadFile(requests) {
      const chunks: Uint8Array[] = [];
      let first: { projectId: string; filename: string; contentType: string } | undefined;
      let complete = false;
      probe.uploads.begun += 1;
      try {
        for await (const message of requests) {
          if (first === undefined && message.projectId === "prj_unknown") throw notFound("project", message.projectId);
          first ??= message;
          chunks.push(message.data);
          complete = message.last;
        }
      } finally {
        probe.uploads.ended += 1;
      }
      if (!complete) throw invalid([{ field: "data", message: "is incomplete" }], "UPLOAD_INCOMPLETE");
      const { projectId = "", filename = "", contentType = "" } = first ?? {};
      const data = Buffer.concat(chunks);
      probe.stored.push({ projectId, filename, contentType, data });
      return { id: `fil_${probe.stored.length}`, projectId, filename, contentType, size: data.length };
    },
    async *getFileContent({ fileId }, context) {
      if (fileId === "none") throw notFound("file", fileId);
      context.responseHeader.set("x-file-name", encodeURIComponent('Größe "1".pdf'));
      context.responseHeader.set("x-internal", "never");
      if (fileId.startsWith("fil_")) {
        context.responseHeader.set("x-file-size", String(fileBytes.length + (fileId === "fil_short" ? 1 : 0)));
        context.responseHeader.set("x-file-sha256", hash("sha256", fileBytes));
        yield { contentType: "application/pdf" };
        probe.downloads.begun += 1;
        if (fileId === "fil_damaged") throw new Error("the disk is gone");
        for (let from = 0; from < fileBytes.length; from += 65_536) {
          yield { data: fileBytes.subarray(from, from + 65_536) };
        }
        return;
      }
      if (fileId.startsWith("text")) {
        const [contentType, size] = ["text/csv; charset=utf-8", fileId === "text_short" ? 1_024 : exportedText.length];
        for (let from = 0; from < size; from += 65_536)
          yield { contentType, data: exportedText.subarray(from, Math.min(size, from + 65_536)) };
        if (fileId === "text_broken") throw new Error("the disk is gone");
        if (fileId !== "text_flood") return;
      } else yield { contentType: "application/pdf", data: Buffer.from("%PDF-") };
      if (fileId === "broken") throw new Error("the disk is gone");
      if (fileId === "trickle" || fileId.endsWith("flood")) {
        probe.downloads.begun += 1;
        try {
          for (;;) {
            // Random bytes do not become smaller when they are compressed.
            yield { data: randomBytes(fileId === "trickle" ? 10 : 65_536) };
            await sleep(fileId === "trickle" ? 20 : 0);
          }
        } finally {
          probe.downloads.ended += 1;
        }
      }
    },
  };
}
