import { encode } from "./compression.ts";
import { createWeakTag } from "./conditional.ts";
import type { Coding } from "./negotiation.ts";

/** A body that does not change. It is compressed once for each content coding. */
export interface Document {
  readonly bytes: Buffer;
  readonly tag: string;
  encode(coding: Coding): Promise<Buffer>;
}

/** Creates a document from its bytes. */
export function createDocument(bytes: Buffer): Document {
  const encoded = new Map<Coding, Promise<Buffer>>();
  return {
    bytes,
    tag: createWeakTag(bytes),
    encode(coding) {
      const known = encoded.get(coding) ?? encode(bytes, coding);
      encoded.set(coding, known);
      return known;
    },
  };
}
