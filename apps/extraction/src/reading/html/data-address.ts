/**
 * Returns the bytes in an address of the kind `data:image/png;base64,...`; undefined if it is of another kind. Pictures are in Base64 in
 * practice.
 */
export function decodeDataAddress(address: string): Uint8Array | undefined {
  const [, start = ""] = /^(data:[^,]{0,200};\s*base64\s*,)/i.exec(address) ?? [];
  if (start === "") return undefined;
  const content = address
    .slice(start.length)
    .replace(/%(2b|2f|3d|0a|0d|20)/gi, (escaped) => decodeURIComponent(escaped));
  // A copy with a buffer of its own, which can be transferred to another thread.
  return new Uint8Array(Buffer.from(content, "base64"));
}
