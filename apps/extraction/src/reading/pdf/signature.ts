/** Whether bytes begin as a PDF does; a byte order mark and blanks may stand before it. */
export function isPdf(bytes: Uint8Array): boolean {
  return /^(ï»¿)?\s*%PDF-/.test(new TextDecoder("latin1").decode(bytes.subarray(0, 64)));
}
