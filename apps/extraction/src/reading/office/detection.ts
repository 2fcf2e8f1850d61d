import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { DetectedType, Format } from "../detected-type.ts";
import { openArchive } from "./archive.ts";

const officeTypes = {
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
} as const satisfies Partial<Record<Format, string>>;

/**
 * Detects an Office document among ZIP archives by the names of its files, even if the archive is damaged. Returns undefined for other archives.
 * Never fails.
 */
export function detectOffice(bytes: Uint8Array): DetectedType | undefined {
  const found = detectFormat(bytes);
  if (found === undefined) return undefined;
  if (found === "xlsb") return oldType("application/vnd.ms-excel.sheet.binary.macroenabled.12");
  const contentType = officeTypes[found];
  // The first file is encrypted.
  if (((bytes[6] ?? 0) & 1) === 1) return { format: undefined, contentType, problem: encryptedProblem };
  return { format: found, contentType };
}

const encryptedProblem = {
  code: ReadProblem.ENCRYPTED_FILE,
  message: "The document is encrypted and needs a password.",
};

function detectFormat(bytes: Uint8Array): keyof typeof officeTypes | "xlsb" | undefined {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const openDocument = /^mimetypeapplication\/vnd\.oasis\.opendocument\.(text|spreadsheet)(?!-)/.exec(
    source.toString("latin1", 30, 120),
  )?.[1];
  if (openDocument !== undefined) return openDocument === "text" ? "odt" : "ods";
  let has = (name: string): boolean => source.includes(name);
  try {
    const { names } = openArchive(bytes);
    has = (name) => (name.endsWith("/") ? [...names].some((each) => each.startsWith(name)) : names.has(name));
  } catch {
    // The names in the bytes of a damaged archive are enough.
  }
  if (!has("[Content_Types].xml")) return undefined;
  if (has("xl/workbook.bin")) return "xlsb";
  return has("word/") ? "docx" : has("xl/") ? "xlsx" : has("ppt/") ? "pptx" : undefined;
}

/** Detects what a compound file of Microsoft contains: an encrypted document, or one in an old format. */
export function detectCompound(bytes: Uint8Array): DetectedType {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const has = (stream: string): boolean => source.includes(Buffer.from(stream, "utf16le"));
  if (has("EncryptedPackage"))
    return { format: undefined, contentType: "application/x-ole-storage", problem: encryptedProblem };
  if (has("WordDocument")) return oldType("application/msword");
  if (has("Workbook") || has("Book")) return oldType("application/vnd.ms-excel");
  if (has("PowerPoint Document")) return oldType("application/vnd.ms-powerpoint");
  if (has("__substg1.0_")) return { format: undefined, contentType: "application/vnd.ms-outlook" };
  return { format: undefined, contentType: "application/x-ole-storage" };
}

/** The formats that replace old ones. */
const newFormats: ReadonlyMap<string, string> = new Map([
  ["application/msword", ".docx"],
  ["application/vnd.ms-excel", ".xlsx"],
  ["application/vnd.ms-excel.sheet.binary.macroenabled.12", ".xlsx"],
  ["application/vnd.ms-powerpoint", ".pptx"],
]);

function oldType(contentType: string): DetectedType {
  const message = `Documents of type ${contentType} are not read. Save the document as ${newFormats.get(contentType) ?? ""}, and upload it again.`;
  return { format: undefined, contentType, problem: { code: ReadProblem.UNSUPPORTED_FORMAT, message } };
}
