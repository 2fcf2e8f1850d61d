import { parse } from "content-type";

/** The header of a part of a form (RFC 7578). */
export interface PartHeader {
  /** The name of the part; "" if it has none. */
  readonly name: string;
  /** The name of the file without its folders; undefined if the part is not a file. */
  readonly filename: string | undefined;
  /** Whether the file name is in the encoding that it should be in. If not, `filename` contains U+FFFD. */
  readonly isDecoded: boolean;
  /** The content type as it was sent, with its parameters; `text/plain` if there is none. */
  readonly contentType: string;
}

/** The lines of a header by their names in lower case. Each character is one byte. */
export type HeaderLines = Readonly<Record<string, readonly string[] | undefined>>;

/** Reads the header of a part. Returns undefined if it does not say that it is a part of a form. */
export function readPartHeader(lines: HeaderLines): PartHeader | undefined {
  const [disposition = ""] = lines["content-disposition"] ?? [];
  // A backslash escapes only a quote or another backslash: old clients send whole Windows paths.
  const { type, parameters } = parse(disposition.replace(/\\(?!["\\])/g, "\\\\"));
  if (type !== "form-data") return undefined;
  const { name = "", filename } = parameters;
  const decoded =
    decodeExtended(parameters["filename*"]) ?? (filename === undefined ? undefined : decodePlain(filename));
  const contentType = (lines["content-type"]?.[0] ?? "").trim();
  return {
    name: Buffer.from(name, "latin1").toString(),
    filename: decoded === undefined ? undefined : removeFolders(decoded.text),
    isDecoded: decoded?.isValid !== false,
    contentType: contentType === "" ? "text/plain" : contentType,
  };
}

interface Decoded {
  readonly text: string;
  readonly isValid: boolean;
}

/** Decodes bytes in UTF-8, or in another charset that the platform knows. */
export function decodeBytes(bytes: Uint8Array, charset = "utf-8"): Decoded {
  try {
    return { text: new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes), isValid: true };
  } catch {
    return { text: Buffer.from(bytes).toString(), isValid: false };
  }
}

/** Decodes a file name in UTF-8, as it was before its sender escaped it for the header: browsers and most other clients write `"` as "%22". */
function decodePlain(filename: string): Decoded {
  const { text, isValid } = decodeBytes(Buffer.from(filename, "latin1"));
  return { text: text.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n"), isValid };
}

/** Decodes an extended parameter (RFC 8187), such as `UTF-8''%C3%A4.pdf`. Returns undefined if it is malformed. */
function decodeExtended(value = ""): Decoded | undefined {
  const [, charset, encoded] = /^([\w-]+)'[\w-]*'(.*)$/.exec(value) ?? [];
  if (charset === undefined || encoded === undefined) return undefined;
  const bytes = encoded.replace(/%([\da-f]{2})/gi, (_escape, code: string) => String.fromCharCode(parseInt(code, 16)));
  return decodeBytes(Buffer.from(bytes, "latin1"), charset);
}

/** Returns the last part of a path, or an empty text if that is a folder. */
function removeFolders(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return name === "." || name === ".." ? "" : name;
}
