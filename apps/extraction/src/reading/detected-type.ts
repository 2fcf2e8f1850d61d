import type { OfficeFormat } from "./office/office.ts";
import type { Problem } from "./reading.ts";

/** The supported formats. */
export type Format = "pdf" | "email" | "html" | "rtf" | "table" | "text" | "xml" | "picture" | OfficeFormat;

/** The type of a document. Without a format, it is not read. */
export interface DetectedType {
  readonly format: Format | undefined;
  /** The content type: from the bytes if possible, and otherwise from the sender, or from the extension of the file name. */
  readonly contentType: string;
  /** Why it is not read, if there is more to say than its content type. */
  readonly problem?: Problem;
}
