import { serialize, type Document } from "bson";

/** Creates an OP_MSG of sections, or another message of the protocol. */
export function message(body: Uint8Array, { flags = 0, operation = 2013, length = 20 + body.length } = {}): Buffer {
  const head = Buffer.alloc(20);
  head.writeInt32LE(length | 0, 0);
  head.writeInt32LE(7, 4);
  head.writeInt32LE(operation | 0, 12);
  head.writeUInt32LE(flags >>> 0, 16);
  return Buffer.concat([head, body]);
}

/** Creates the section of a command. */
export function section(document: Document): Buffer {
  return Buffer.concat([Buffer.of(0), serialize(document, { checkKeys: false, ignoreUndefined: false })]);
}

/** Creates the section of a sequence of documents. */
export function sequence(name: string, documents: readonly Uint8Array[], size?: number): Buffer {
  const rest = Buffer.concat([Buffer.from(`${name}\0`), ...documents]);
  const head = Buffer.alloc(5);
  head[0] = 1;
  head.writeInt32LE((size ?? rest.length + 4) | 0, 1);
  return Buffer.concat([head, rest]);
}

/** Creates a document with nested documents or arrays, without recursion. */
export function nested(levels: number, type: 3 | 4): Buffer {
  const [head, size] = [Buffer.of(type, 0x30, 0), Buffer.alloc(4)];
  const whole = Buffer.alloc(5 + levels * 8);
  for (let level = 0; level <= levels; level++) {
    size.writeInt32LE(5 + (levels - level) * 8);
    whole.set(size, level * 7);
    if (level < levels) whole.set(head, level * 7 + 4);
  }
  return whole;
}
