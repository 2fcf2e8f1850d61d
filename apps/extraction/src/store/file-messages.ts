import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { FileSchema, FileStatus, ReadReasonSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { File, ReadReason } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { FileRecord } from "./files.ts";
import { warningMessages } from "./warnings.ts";

/** Converts a file to its message. */
export function fileMessage(record: FileRecord): File {
  const reason = reasonMessage(record.reason);
  return create(FileSchema, {
    id: record._id,
    ...(record.projectId === null ? {} : { projectId: record.projectId }),
    filename: record.filename,
    contentType: record.contentType,
    size: record.size,
    sha256: record.sha256,
    pageCount: record.pageCount,
    status: reason === undefined ? FileStatus.READ : FileStatus.UNREADABLE,
    ...(reason === undefined ? {} : { reason }),
    accepted: record.acceptedFor.length > 0,
    createdAt: timestampFromDate(record.createdAt),
    createdBy: record.createdBy,
    warnings: warningMessages(record.warnings),
  });
}

/** Converts the reason why a file could not be read to its message; undefined if it was read. */
export function reasonMessage(reason: FileRecord["reason"]): ReadReason | undefined {
  if (reason === null) return undefined;
  return create(ReadReasonSchema, { code: reason.code, message: reason.message });
}
