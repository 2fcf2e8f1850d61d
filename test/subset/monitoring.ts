/**
 * Loaded before a process of a test run (`node --import`): notes the shape of every command that services send to their databases.
 * Each new one is a line in a file of this process, in the folder that SWITCHYARD_SENT_COMMANDS names, and there before the command is
 * answered: a process may be killed at any moment.
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
/** Services send this to replica sets of several nodes only, which the embedded store never is. */
const neverEmbedded = "replSetGetConfig";

if (folder !== undefined) {
  const file = join(folder, `${process.pid}-${randomUUID()}.jsonl`);
  const noted = new Set<string>();
  const clients = new WeakSet<object>();
  const by = /jest/.test(process.argv[1] ?? "") ? "test" : "service";
  const note = (line: Note): void => appendFileSync(file, `${JSON.stringify(line)}\n`);
  subscribe(sentCommands, (message) => {
    const { client, databaseName, command } = message as SentCommand;
    if (neverEmbedded in command) return;
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
