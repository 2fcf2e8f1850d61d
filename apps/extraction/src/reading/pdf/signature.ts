/** Whether bytes begin like a PDF, optionally after a byte order mark and spaces. */
export function isPdf(bytes: Uint8Array): boolean {
  return /^(ï»¿)?\s*%PDF-/.test(new TextDecoder("latin1").decode(bytes.subarray(0, 64)));
}
