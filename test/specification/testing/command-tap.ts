import mongoose from "mongoose";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";

/** A relay in front of a database server that records every command. */
export interface CommandTap {
  /** The URI of the relay, which services connect to. */
  uri: string;
  /** Returns every command so far, except for handshakes. */
  commands(): readonly any[];
  close(): Promise<void>;
}

const message = 2013;
const greeting = 2004;
const header = 16;

/** Parses the body of an OP_MSG, with its document sequences under their names. */
function getCommand(frame: Buffer): any {
  const { deserialize } = mongoose.mongo.BSON;
  const command: any = {};
  // Length, IDs and opcode, then flags. If the first flag is set, the last four bytes are a checksum.
  const end = (frame.readUInt32LE(header) & 1) === 1 ? frame.length - 4 : frame.length;
  for (let at = header + 4; at < end;) {
    const kind = frame[at];
    const size = frame.readInt32LE(at + 1);
    const section = frame.subarray(at + 1, at + 1 + size);
    at += 1 + size;
    if (kind === 0) {
      Object.assign(command, deserialize(section));
      continue;
    }
    const nameEnd = section.indexOf(0, 4);
    const documents = [];
    for (let place = nameEnd + 1; place < section.length;) {
      const length = section.readInt32LE(place);
      documents.push(deserialize(section.subarray(place, place + length)));
      place += length;
    }
    command[section.toString("utf8", 4, nameEnd)] = documents;
  }
  return command;
}

/** Relays to the server of a URI. Commands are parsed from the wire, so none of any client is missed. */
export async function createCommandTap(uri: string): Promise<CommandTap> {
  const { hostname, port } = new URL(uri);
  // Without a port, the server listens on a Unix domain socket.
  const open = (): Socket => (port === "" ? connect(decodeURIComponent(hostname)) : connect(Number(port), hostname));
  const commands: any[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = open();
    let kept = Buffer.alloc(0);
    client.on("data", (chunk: Buffer) => {
      kept = Buffer.concat([kept, chunk]);
      while (kept.length >= header && kept.length >= kept.readInt32LE(0)) {
        const frame = kept.subarray(0, kept.readInt32LE(0));
        kept = kept.subarray(frame.length);
        const kind = frame.readInt32LE(12);
        if (kind === message) commands.push(getCommand(frame));
        else if (kind !== greeting) commands.push({ unread: kind });
      }
    });
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => (socket === client ? upstream : client).destroy());
    }
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    uri: uri.replace(port === "" ? hostname : `${hostname}:${port}`, `127.0.0.1:${address.port}`),
    commands: () => commands,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
