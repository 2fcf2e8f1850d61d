import { ScalarType, toBinary } from "@bufbuild/protobuf";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";

/** What tells one request from another: its method and its decoded messages, of which nothing is kept. */
export interface Fingerprint {
  /** Takes in a message of the request; those of a stream one after the other. */
  add(message: Message): void;
  /** The digest of all that was added, in hexadecimal; asked for once. */
  digest(): string;
}

const nothing = new Uint8Array(0);

/**
 * The fingerprint of a request to a method (SHA-256). The `bytes` of the messages count by their own digest over the whole stream, so
 * that the same file is the same however it was cut into messages.
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
