import { encodingsOfPages } from "../decoding.ts";
import type { Source } from "../reading.ts";

/** The signature of the format (TNEF), in which Outlook sends attachments as one file `winmail.dat`. */
const signature = 0x223e9f78;
/** The attributes of a message and its attachments ([MS-OXTNEF], 2.1.3.2): its code page; the beginning of an attachment, its name, and its bytes. */
const attribute = { page: 0x00069007, begin: 0x00069002, title: 0x00018010, data: 0x0006800f } as const;
/** The maximum number of attributes. A message has some dozens, and ten for each attachment. */
const maxAttributes = 10_000;

/** Returns the attachments in a file `winmail.dat`, in their order. What is truncated or damaged is left out. Never fails. */
export function readTnef(bytes: Uint8Array): Source[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 6 || view.getUint32(0, true) !== signature) return [];
  let encoding = "windows-1252";
  const attachments: { filename: string; bytes: Uint8Array | undefined }[] = [];
  // A level, the attribute and a length precede the value, and a checksum follows it.
  for (let at = 6, count = 0; at + 9 <= bytes.length && count < maxAttributes; count += 1) {
    const length = view.getUint32(at + 5, true);
    const value = bytes.subarray(at + 9, at + 9 + length);
    if (value.length < length) break;
    const kind = view.getUint32(at + 1, true);
    const last = attachments.at(-1);
    if (kind === attribute.page && length >= 4)
      encoding = encodingsOfPages.get(view.getUint32(at + 9, true)) ?? encoding;
    else if (kind === attribute.begin) attachments.push({ filename: "attachment", bytes: undefined });
    else if (kind === attribute.title && last !== undefined) last.filename = toName(value, encoding) || last.filename;
    else if (kind === attribute.data && last !== undefined) last.bytes = value.slice();
    at += 9 + length + 2;
  }
  return attachments.flatMap((each) =>
    each.bytes === undefined ? [] : [{ filename: each.filename, bytes: each.bytes, contentType: "" }],
  );
}

function toName(value: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding).decode(value).replace(/\0.*$/s, "").trim();
}
