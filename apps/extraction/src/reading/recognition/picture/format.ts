/** The formats of pictures. */
export type PictureFormat = "png" | "jpeg" | "webp" | "gif";

/** Returns the format of a picture, from its first bytes; undefined if it has none that is read. */
export function detectPictureFormat(bytes: Uint8Array): PictureFormat | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith("\u0089PNG\r\n\u001a\n")) return "png";
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "jpeg";
  if (/^GIF8[79]a/.test(head)) return "gif";
  return /^RIFF[^]{4}WEBP/.test(head) ? "webp" : undefined;
}
