import { getWrittenCharset } from "../decoding.ts";

/** Returns the encoding that a meta element at the beginning of HTML names, if it can be true, or an empty string. */
export function findMetaCharset(bytes: Uint8Array): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 2048));
  return getWrittenCharset(/<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ?? "");
}
