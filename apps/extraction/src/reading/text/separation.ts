/** A part of a message that may be made of other parts. */
interface Node {
  /** The kind of the parts that it is made of; false if it is not. */
  readonly contentType: { multipart: string | false; readonly parsed: { value: string } };
  readonly childNodes: readonly unknown[];
  readonly state: string;
  readonly content: ArrayBuffer | Uint8Array | null;
}

/** The methods of the parser of messages that separate their parts. */
export interface Separation {
  readonly currentNode: Node;
  readonly boundaries: { value: Uint8Array; node: Node }[];
  processLine(line: Uint8Array, isFinal: boolean): Promise<void>;
  collectNode(node: Node, ...context: unknown[]): Promise<void>;
}

/**
 * Makes a parser separate the parts of messages that do not name the boundary between them, or another one: a line that begins with two dashes, before the
 * first header field, is one. What has no such line is a text. Otherwise, all of it would be missing.
 */
export function separateParts(parser: Separation): void {
  const processLine = parser.processLine.bind(parser);
  const collectNode = parser.collectNode.bind(parser);
  let before: Uint8Array = new Uint8Array();
  parser.processLine = (line, isFinal) => {
    const node = parser.currentNode;
    const boundary = before;
    before = line;
    if (!isUndivided(node) || node.state !== "body" || !isBoundary(boundary) || !isHeaderField(line))
      return processLine(line, isFinal);
    parser.boundaries.push({ value: boundary.subarray(2), node });
    return processLine(boundary, false).then(() => processLine(line, isFinal));
  };
  parser.collectNode = async (node, ...context) => {
    if (isUndivided(node) && (node.content?.byteLength ?? 0) > 0) {
      node.contentType.multipart = false;
      node.contentType.parsed.value = "text/plain";
    }
    await collectNode(node, ...context);
  };
}

/** Whether a part should be made of others, but none of them was found yet. */
function isUndivided({ contentType, childNodes }: Node): boolean {
  return contentType.multipart !== false && childNodes.length === 0;
}

/** Whether a line may be a boundary, which has at most 70 characters after its dashes (RFC 2046, 5.1.1). */
function isBoundary(line: Uint8Array): boolean {
  return line[0] === dash && line[1] === dash && line.length > 2 && line.length <= 72;
}

const dash = 0x2d;

function isHeaderField(line: Uint8Array): boolean {
  return /^content-[\w-]+[ \t]*:/i.test(Buffer.from(line.subarray(0, 60)).toString("latin1"));
}
