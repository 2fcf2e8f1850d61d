/**
 * Loaded into a process of a test run with `node --import`. Records the shape of every command that services send to their databases, as a
 * line in a file of this process in the folder SWITCHYARD_SENT_COMMANDS. The line is written before the command is sent, because a
 * process may be killed at any moment.
 */
import { sentCommands } from "@switchyard/storage/sent-commands";
import type { SentCommand } from "@switchyard/storage/sent-commands";
import { randomUUID } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { toPlain } from "./bson.ts";
import type { Document } from "./bson.ts";
import { getShape } from "./features.ts";
import { sentCommandsFolder } from "./preload.ts";
import type { Note } from "./subset.ts";

const folder = process.env[sentCommandsFolder];
/**
 * Whether services do not need the command: the settings of a replica set of several nodes, which the embedded store is not, and a change
 * stream, without which they poll.
 */
const isOptional = ({ pipeline, ...command }: Document): boolean =>
  "replSetGetConfig" in command || (Array.isArray(pipeline) && "$changeStream" in (pipeline[0] as Document));

if (folder !== undefined) {
  const file = join(folder, `${process.pid}-${randomUUID()}.jsonl`);
  const noted = new Set<string>();
  const clients = new WeakSet<object>();
  const by = /[\\/]vitest[\\/]dist[\\/]/.test(process.argv[1] ?? "") ? "test" : "service";
  const note = (line: Note): void => appendFileSync(file, `${JSON.stringify(line)}\n`);
  subscribe(sentCommands, (message) => {
    const { client, databaseName, command } = message as SentCommand;
    if (isOptional(command)) return;
    if (!clients.has(client)) {
      clients.add(client);
      note({ client: databaseName, by });
    }
    const shape = getShape(toPlain(command) as Document);
    const text = JSON.stringify(shape);
    if (noted.has(text)) return;
    noted.add(text);
    note(shape);
  });
}
