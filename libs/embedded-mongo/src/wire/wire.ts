import { Buffer } from "node:buffer";
import { Binary, Long, Timestamp } from "bson";
import { ServerError, serverError } from "../errors.ts";
import type { Steps } from "../scheduling/time-slices.ts";
import { decode, encode, maxDocumentBytes, type Document } from "../values/values.ts";

/** A request that was received over the wire. */
export interface Request {
  readonly requestId: number;
  /** True for OP_QUERY, which is only used for the first handshake and is answered with OP_REPLY. */
  readonly legacy: boolean;
  /** False for unacknowledged writes. */
  readonly expectsReply: boolean;
  /** Decodes the command, and pauses between its documents when `isOver` returns true. Invalid bytes cause a `ServerError`. */
  command(isOver: () => boolean): Steps<Document>;
}

/** A reply: its fields, and for cursors the encoded documents of a batch, which are sent unchanged. */
export interface Reply {
  readonly [field: string]: unknown;
  readonly cursor?: {
    readonly id: number;
    readonly namespace: string;
    readonly batchName: "firstBatch" | "nextBatch";
    readonly batch: readonly Uint8Array[];
  };
}

const opReply = 1;
const opQuery = 2004;
const opMessage = 2013;

/** The maximum size of a stored document and of a message, in bytes, and of the statements in one write, as `hello` reports them. */
export const wireLimits = { document: maxDocumentBytes, message: 48_000_000, batch: 100_000 };

/** The maximum depth of nested documents in MongoDB. */
const maxDepth = 200;
const headerLength = 16;
const maxChunks = 1024;

/** Splits the bytes of a connection into messages. */
export class MessageSplitter {
  #pieces: Buffer[] = [];
  #wanted = headerLength;
  /** The number of bytes of an incomplete message. */
  pending = 0;

  /** Returns the messages that are complete with this chunk. Throws if a length is invalid. */
  split(chunk: Buffer): Buffer[] {
    this.#pieces.push(chunk);
    this.pending += chunk.length;
    // Many small chunks would need more memory than their bytes.
    if (this.pending < this.#wanted && this.#pieces.length < maxChunks) return [];
    const bytes = Buffer.concat(this.#pieces);
    const messages: Buffer[] = [];
    for (let at = 0; ; at += this.#wanted) {
      this.pending = bytes.length - at;
      this.#wanted = this.pending < headerLength ? headerLength : bytes.readInt32LE(at);
      const isLength = this.#wanted >= headerLength && this.#wanted <= wireLimits.message;
      if (!isLength) throw new Error(`a message of ${this.#wanted} bytes`);
      if (this.pending < this.#wanted) {
        // The rest is copied, so that the other messages do not stay in memory.
        this.#pieces = [Buffer.copyBytesFrom(bytes, at)];
        return messages;
      }
      messages.push(bytes.subarray(at, at + this.#wanted));
    }
  }
}

/** Reads the head of a message. Throws if the protocol does not allow it. */
export function readRequest(message: Buffer): Request {
  const requestId = message.readInt32LE(4);
  const operation = message.readInt32LE(12);
  const flags = message.readUInt32LE(16);
  if (operation === opQuery) {
    return { requestId, legacy: true, expectsReply: true, command: () => readQuery(message) };
  }
  if (operation !== opMessage) throw new Error(`the wire protocol operation ${operation} is not supported`);
  if ((flags & 0xffff & ~3) !== 0) throw new Error(`unknown required flags in OP_MSG: ${flags}`);
  const sections = message.subarray(20, message.length - (flags & 1) * 4);
  return {
    requestId,
    legacy: false,
    expectsReply: (flags & 2) === 0,
    command: (isOver) => readSections(sections, isOver),
  };
}

function* readQuery(message: Buffer): Steps<Document> {
  const start = message.indexOf(0, 20) + 9;
  return { ...readDocument(message.subarray(start, start + readSize(message, start))), $db: "admin" };
}

function* readSections(sections: Buffer, isOver: () => boolean): Steps<Document> {
  let command: Document | undefined;
  const sequences = new Map<string, Document[]>();
  for (let at = 0; at < sections.length;) {
    const end = at + 1 + readSize(sections, at + 1);
    const section = sections.subarray(at + 1, end);
    const name = sections[at] === 1 ? readName(section, 4) : "";
    if (sections[at] === 1 && !sequences.has(name))
      sequences.set(name, yield* readSequence(section, 5 + Buffer.byteLength(name), isOver));
    else if (sections[at] === 0 && command === undefined) command = readDocument(section);
    else throw invalid(`an unexpected section of kind ${sections[at]} in OP_MSG`);
    at = end;
  }
  if (command === undefined) throw invalid("OP_MSG without a body");
  for (const name of sequences.keys()) {
    if (Object.hasOwn(command, name)) throw invalid(`OP_MSG with two fields ${name}`);
  }
  return { ...command, ...Object.fromEntries(sequences) };
}

function* readSequence(section: Buffer, start: number, isOver: () => boolean): Steps<Document[]> {
  const documents: Document[] = [];
  for (let at = start; at < section.length;) {
    if (documents.length === wireLimits.batch)
      throw serverError("InvalidLength", `more than ${wireLimits.batch} documents`);
    const end = at + readSize(section, at);
    documents.push(readDocument(section.subarray(at, end)));
    at = end;
    if (isOver()) yield undefined;
  }
  return documents;
}

/** Reads the size of the structure at a position, which starts with it. */
function readSize(bytes: Buffer, at: number): number {
  const size = at + 4 > bytes.length ? 0 : bytes.readInt32LE(at);
  if (size < 5 || at + size > bytes.length) throw invalid(`a length of ${size} with ${bytes.length - at} bytes left`);
  return size;
}

function readName(bytes: Buffer, at: number): string {
  const end = bytes.indexOf(0, at);
  if (end < 0) throw invalid("a name without a terminator");
  return bytes.toString("utf8", at, end);
}

function readDocument(bytes: Buffer): Document {
  if (bytes.length > wireLimits.document + 16 * 1024) {
    throw serverError("BSONObjectTooLarge", `a document of ${bytes.length} bytes`);
  }
  try {
    // A nested level takes at least seven bytes.
    if (bytes.length > maxDepth * 7) checkDepth(bytes);
    return decode(bytes);
  } catch (error) {
    throw error instanceof ServerError ? error : invalid(String(error));
  }
}

/** The number of bytes of a value by type, without those that its length counts; for a document, the bytes before its fields. */
const sizes: { readonly [type: number]: number } = {
  ...{ 0: 0, 1: 8, 2: 4, 3: 4, 4: 4, 5: 5, 6: 0, 7: 12, 8: 1, 9: 8, 10: 0, 11: 0, 12: 16, 13: 4, 14: 4, 16: 4, 17: 8 },
  ...{ 18: 8, 19: 16, 127: 0, 255: 0 },
};
const withLength = [2, 5, 12, 13, 14];

/**
 * Rejects documents that are nested too deeply. It reads the bytes without recursion, before anything else recurses or allocates memory.
 */
function checkDepth(bytes: Buffer): void {
  for (let [at, depth] = [4, 1]; depth > 0;) {
    const type = bytes.readUInt8(at);
    depth += type === 0 ? -1 : type === 3 || type === 4 ? 1 : 0;
    if (depth > maxDepth) throw serverError("Overflow", `a document is nested deeper than ${maxDepth} levels`);
    let end = at + 1;
    // The end of a document has no name, and a regular expression has two more strings.
    for (let texts = type === 0 ? 0 : type === 11 ? 3 : 1; texts > 0; texts--) end = bytes.indexOf(0, end) + 1;
    end += (sizes[type] ?? Number.NaN) + (withLength.includes(type) ? bytes.readInt32LE(end) : 0);
    if (!(end > at)) throw new Error(`a value of type ${type} without a terminator`);
    at = end;
  }
}

function invalid(message: string): ServerError {
  return serverError("InvalidBSON", message);
}

/** Encodes the document of a reply, with `ok: 1`. */
export function encodeReply({ cursor, ...fields }: Reply): Uint8Array {
  const encoded = encode({ ...fields, ok: 1 });
  if (cursor === undefined) return encoded;
  const { id, namespace, batchName, batch } = cursor;
  const rest = encode({ id: Long.fromNumber(id), ns: namespace }).subarray(4, -1);
  const documents = toDocumentParts(batch.flatMap((body, at) => [toElementHeader(3, String(at)), body]));
  const inner = toDocumentParts([toElementHeader(4, batchName), ...documents, rest]);
  return Buffer.concat(toDocumentParts([toElementHeader(3, "cursor"), ...inner, encoded.subarray(4, -1)]));
}

/** Adds the current cluster time to a reply, which has the number `tick`. Clients of replica sets store it and send it. */
export function withClusterTime(body: Uint8Array, tick: number): Buffer {
  // The counter of a timestamp has 32 bits, and a server may send more replies.
  const operationTime = new Timestamp({ t: Math.floor(Date.now() / 1000), i: tick % 2 ** 32 });
  const signature = { hash: new Binary(Buffer.alloc(20)), keyId: Long.ZERO };
  const times = encode({ $clusterTime: { clusterTime: operationTime, signature }, operationTime });
  return Buffer.concat(toDocumentParts([body.subarray(4, -1), times.subarray(4, -1)]));
}

/** Encodes the header of a reply, which precedes its document. */
export function replyHeader(request: Request, length: number): Buffer {
  const header = Buffer.alloc(request.legacy ? 36 : 21);
  header.writeInt32LE(header.length + length, 0);
  header.writeInt32LE(request.requestId, 8);
  header.writeInt32LE(request.legacy ? opReply : opMessage, 12);
  if (request.legacy) {
    header.writeInt32LE(8, 16); // AwaitCapable
    header.writeInt32LE(1, 32); // one document
  }
  return header;
}

/** Encodes a BSON document with these parts between its length and its terminator. */
function toDocumentParts(parts: readonly Uint8Array[]): Uint8Array[] {
  const length = Buffer.alloc(4);
  length.writeInt32LE(parts.reduce((sum, part) => sum + part.length, 5));
  return [length, ...parts, Buffer.of(0)];
}

/** Encodes the type and the name that precede a value. */
function toElementHeader(type: number, name: string): Buffer {
  return Buffer.from(`${String.fromCharCode(type)}${name}\0`);
}
