import { ScalarType, toBinary } from "@bufbuild/protobuf";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";

/** The fingerprint of a request: a digest of its method and its decoded messages. */
export interface Fingerprint {
  /** Adds a message of the request. The messages of a stream are added one by one. */
  add(message: Message): void;
  /** Returns the digest of everything that was added, in hexadecimal. Call it only once. */
  digest(): string;
}

const nothing = new Uint8Array(0);

/**
 * Creates the fingerprint of a request to a method (SHA-256). The `bytes` of the messages are digested separately over the whole stream, so
 * that a file has the same fingerprint however it is split into messages.
 */
export function createFingerprint({ parent, name, input }: DescMethod): Fingerprint {
  const files = new Map<string, Hash>(
    input.fields
      .filter((field) => field.fieldKind === "scalar" && field.scalar === ScalarType.BYTES && field.oneof === undefined)
      .map((field) => [field.localName, createHash("sha256")]),
  );
  const rest = createHash("sha256").update(`${parent.typeName}/${name}\n`);
  return {
    add(message) {
      const fields: Message & Record<string, unknown> = { ...message };
      for (const [field, hash] of files) {
        const bytes = fields[field];
        if (!(bytes instanceof Uint8Array)) continue;
        hash.update(bytes);
        fields[field] = nothing;
      }
      rest.update(toBinary(input, fields));
    },
    digest() {
      for (const [field, hash] of files) rest.update(`\n${field} ${hash.digest("hex")}`);
      return rest.digest("hex");
    },
  };
}
