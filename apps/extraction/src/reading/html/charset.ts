/**
 * Returns the encoding that a meta element at the beginning of HTML names, or an empty string. UTF-16 does not count, because the element could not
 * be found like this if that were true.
 */
export function findMetaCharset(bytes: Uint8Array): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 2048));
  const charset = /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ?? "";
  return /^(utf-16(le|be)?|(cs)?unicode|(iso-10646-)?ucs-2)$/i.test(charset) ? "" : charset;
}
