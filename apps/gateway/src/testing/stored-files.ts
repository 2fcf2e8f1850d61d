import { hash } from "node:crypto";
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
      yield { contentType: "application/pdf", data: Buffer.from("%PDF-") };
      if (fileId === "broken") throw new Error("the disk is gone");
      if (fileId === "trickle" || fileId === "flood") {
        probe.downloads.begun += 1;
        try {
          for (;;) {
            yield { data: Buffer.alloc(fileId === "flood" ? 65_536 : 10) };
            await sleep(fileId === "flood" ? 0 : 20);
          }
        } finally {
          probe.downloads.ended += 1;
        }
      }
    },
  };
}
