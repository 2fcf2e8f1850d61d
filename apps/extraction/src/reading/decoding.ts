/** A character encoding that can be detected from the bytes. */
type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/**
 * Decodes text: by its byte order mark; as UTF-16 without one if every other byte is zero; as UTF-8 if it is valid; by the label (as in
 * "charset=") if it is known; and otherwise as Windows-1252, as browsers do for Latin-1. Never fails.
 */
export function decodeText(bytes: Uint8Array, label = ""): string {
  const marked = detectEncoding(bytes);
  if (marked !== undefined) return new TextDecoder(marked).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return decoderFor(label).decode(bytes);
  }
}

/** Returns the character encoding in a content type, or an empty string. */
export function getCharset(contentType: string): string {
  return /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? "";
}

/**
 * Whether bytes look like text: they begin with a byte order mark of UTF-16, or the first 64 KiB contain no zero byte and hardly any
 * control characters.
 */
export function looksLikeText(bytes: Uint8Array): boolean {
  const encoding = detectEncoding(bytes);
  if (encoding === "utf-16le" || encoding === "utf-16be") return true;
  const sample = bytes.subarray(0, 65_536);
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return false;
    if ((byte < 32 && !isLayout(byte)) || byte === 127) controls++;
  }
  return controls * 200 <= sample.length;
}

function detectEncoding(bytes: Uint8Array): Encoding | undefined {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  return unmarkedUtf16(bytes.subarray(0, 1024));
}

function unmarkedUtf16(sample: Uint8Array): Encoding | undefined {
  if (sample.length < 8) return undefined;
  const zeros = [0, 0];
  sample.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2]! += 1;
  });
  const [even = 0, odd = 0] = zeros;
  const half = sample.length / 2;
  if (odd > half * 0.7 && even < half * 0.05) return "utf-16le";
  if (even > half * 0.7 && odd < half * 0.05) return "utf-16be";
  return undefined;
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  // A label of UTF-8 or plain ASCII is wrong here, because the bytes are not valid UTF-8.
  if (label === "" || /^(utf-?8|us-ascii|ascii)$/i.test(label)) return new TextDecoder("windows-1252");
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder("windows-1252");
  }
}

/** Tab, line feed, vertical tab, form feed, carriage return, and escape, which some mail encodings use. */
function isLayout(byte: number): boolean {
  return (byte >= 9 && byte <= 13) || byte === 27;
}
