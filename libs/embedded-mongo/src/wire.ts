import { Buffer } from "node:buffer";
import { decode, encode, setField, type Document } from "./values.ts";

/** A request as it came over the wire. */
export interface Request {
  readonly requestId: number;
  readonly command: Document;
  /** OP_QUERY is only used for the first handshake, and answered by OP_REPLY. */
  readonly legacy: boolean;
  /** False for unacknowledged writes. */
  readonly wantsReply: boolean;
}

/** A reply: its fields, and for cursors the encoded documents of a batch, which are sent as they are. */
export interface Reply {
  readonly fields: Document;
  readonly cursor?: {
    readonly id: bigint;
    readonly namespace: string;
    readonly batchName: "firstBatch" | "nextBatch";
    readonly batch: readonly Uint8Array[];
  };
}

const opReply = 1;
const opQuery = 2004;
const opMessage = 2013;

/** The largest message that is accepted, in bytes; `hello` announces it. */
export const largestMessage = 48_000_000;

/** Cuts a stream of bytes into messages; throws for a length that cannot be. */
export function createMessageSplitter(): (chunk: Uint8Array) => Buffer[] {
  let pending: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    pending.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    size += chunk.length;
    const messages: Buffer[] = [];
    while (size >= 16) {
      if ((pending[0] as Buffer).length < 16) pending = [Buffer.concat(pending)];
      const length = (pending[0] as Buffer).readInt32LE(0);
      if (length < 16 || length > largestMessage + 16 * 1024) throw new Error(`a message of ${length} bytes`);
      if (size < length) break;
      const all = pending.length === 1 ? (pending[0] as Buffer) : Buffer.concat(pending);
      messages.push(all.subarray(0, length));
      pending = size > length ? [all.subarray(length)] : [];
      size -= length;
    }
    return messages;
  };
}

/** Reads a message; throws for one that the protocol does not allow here. */
export function readRequest(message: Buffer): Request {
  const requestId = message.readInt32LE(4);
  const operation = message.readInt32LE(12);
  if (operation === opQuery) {
    const nameEnd = message.indexOf(0, 20);
    const namespace = message.toString("utf8", 20, nameEnd);
    const command = decode(message.subarray(nameEnd + 9));
    if (!namespace.endsWith(".$cmd")) throw new Error("OP_QUERY is only supported for commands");
    return { requestId, command: { ...command, $db: namespace.slice(0, -5) }, legacy: true, wantsReply: true };
  }
  if (operation !== opMessage) throw new Error(`the wire protocol operation ${operation} is not supported`);
  const flags = message.readUInt32LE(16);
  if ((flags & 0xffff & ~3) !== 0) throw new Error(`unknown required flags in OP_MSG: ${flags}`);
  const end = message.length - ((flags & 1) === 1 ? 4 : 0);
  let command: Document | undefined;
  const sequences: { name: string; documents: Document[] }[] = [];
  for (let at = 20; at < end;) {
    const kind = message[at] as number;
    const size = message.readInt32LE(at + 1);
    if (size < 5 || at + 1 + size > end) throw new Error("a section of OP_MSG is longer than its message");
    if (kind === 0) command = decode(message.subarray(at + 1, at + 1 + size));
    else if (kind === 1) sequences.push(readSequence(message.subarray(at + 1, at + 1 + size)));
    else throw new Error(`unknown kind of section in OP_MSG: ${kind}`);
    at += 1 + size;
  }
  if (command === undefined) throw new Error("OP_MSG without a body");
  for (const { name, documents } of sequences) setField(command, name, documents);
  return { requestId, command, legacy: false, wantsReply: (flags & 2) === 0 };
}

function readSequence(section: Buffer): { name: string; documents: Document[] } {
  const nameEnd = section.indexOf(0, 4);
  const documents: Document[] = [];
  for (let at = nameEnd + 1; at < section.length;) {
    const size = section.readInt32LE(at);
    if (size < 5) throw new Error("a document in OP_MSG is too short");
    documents.push(decode(section.subarray(at, at + size)));
    at += size;
  }
  return { name: section.toString("utf8", 4, nameEnd), documents };
}

/** Encodes the document of a reply. */
export function encodeReply(reply: Reply): Buffer {
  const fields = encode(reply.fields);
  if (reply.cursor === undefined) return Buffer.from(fields.buffer, fields.byteOffset, fields.length);
  const { id, namespace, batchName, batch } = reply.cursor;
  const elements = batch.flatMap((body, at) => [head(3, String(at)), body]);
  const idBytes = Buffer.alloc(8);
  idBytes.writeBigInt64LE(id);
  const name = Buffer.from(`${namespace}\0`);
  const cursor = [
    head(4, batchName),
    ...framed(elements),
    head(18, "id"),
    idBytes,
    head(2, "ns"),
    int32(name.length),
    name,
  ];
  return Buffer.concat(framed([head(3, "cursor"), ...framed(cursor), fields.subarray(4, -1)]));
}

/** A message around a reply's document. */
export function writeReply(
  request: Pick<Request, "requestId" | "legacy">,
  responseId: number,
  body: Uint8Array,
): Buffer {
  const header = Buffer.alloc(request.legacy ? 36 : 21);
  header.writeInt32LE(header.length + body.length, 0);
  header.writeInt32LE(responseId, 4);
  header.writeInt32LE(request.requestId, 8);
  header.writeInt32LE(request.legacy ? opReply : opMessage, 12);
  if (request.legacy) {
    header.writeInt32LE(8, 16); // AwaitCapable
    header.writeInt32LE(1, 32); // one document
  }
  return Buffer.concat([header, body]);
}

function framed(parts: readonly Uint8Array[]): Uint8Array[] {
  return [int32(parts.reduce((sum, part) => sum + part.length, 5)), ...parts, Buffer.of(0)];
}

function head(type: number, name: string): Buffer {
  return Buffer.concat([Buffer.of(type), Buffer.from(`${name}\0`)]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
