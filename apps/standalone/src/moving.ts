import {
  connectForMoving,
  createServerSource,
  importInto,
  openArchive,
  writeArchive,
} from "@switchyard/storage/archive";
import type { Source } from "@switchyard/storage/archive";
import { join, resolve } from "node:path";
import type { Config } from "./config.ts";
import { openEmbeddedStore, openMongo } from "./database.ts";
import type { Database } from "./database.ts";

type Moving = Pick<Config, "dataFolder" | "mongodbUri" | "mongodBinary">;
type Write = (text: string) => void;

/** What `store export` and `store import` are told on the command line. */
export type MoveCommand =
  | { kind: "export"; archive: string | undefined; fromMongo: boolean }
  | { kind: "import"; archive: string | undefined; toEmbedded: boolean; replace: boolean };

/** Runs `store export` or `store import`, and writes what became of each collection. Throws where something cannot be moved whole. */
export async function move(config: Moving, command: MoveCommand, write: Write): Promise<void> {
  if (command.kind === "export") {
    const from = command.fromMongo ? await openMongo(config) : await openEmbeddedStore(config.dataFolder);
    const name = `export-${new Date().toISOString().replace(/[:.]/g, "-")}`;
    const folder = resolve(command.archive ?? join(config.dataFolder, name));
    return withSource(from, (source) => exportTo(folder, source, write));
  }
  const { archive, toEmbedded, replace } = command;
  const opened = archive === undefined ? undefined : await openArchive(resolve(archive));
  const target = toEmbedded ? await openEmbeddedStore(config.dataFolder, true) : await openMongo(config);
  try {
    if (opened === undefined) {
      const from = toEmbedded ? await openMongo(config) : await openEmbeddedStore(config.dataFolder);
      return await withSource(from, (source) => importFrom(source, target, replace, write));
    }
    await opened.verify();
    write(`Importing ${opened.name}, which was exported at ${opened.exportedAt}.\n`);
    await importFrom(opened, target, replace, write);
  } finally {
    await target.close();
  }
}

/** Opens what a database server has, and closes the server afterwards. */
async function withSource(from: Database, run: (source: Source) => Promise<void>): Promise<void> {
  try {
    const client = await connectForMoving(from.uri);
    try {
      const source = await createServerSource(client, `the ${from.name}`);
      // Most likely the wrong folder or server: nothing is not what somebody wants to move.
      if (source.collections.length === 0) throw new Error(`${source.name} has nothing to move`);
      await run(source);
    } finally {
      await client.close();
    }
  } finally {
    await from.close();
  }
}

async function exportTo(folder: string, source: Source, write: Write): Promise<void> {
  let total = 0;
  await writeArchive(source, folder, ({ database, name, documents, bytes, sha256 }) => {
    total += documents;
    write(`${database}.${name}: ${documents} documents, ${bytes} bytes, SHA-256 ${sha256}\n`);
  });
  write(
    `Exported ${total} documents of ${source.collections.length} collections of ${source.name} to ${folder}\n` +
      "The root secret is not among them: tokens stay valid only under the same one.\n",
  );
}

async function importFrom(source: Source, target: Database, replace: boolean, write: Write): Promise<void> {
  const client = await connectForMoving(target.uri);
  let total = 0;
  try {
    await importInto(client, source, {
      replace,
      done({ database, name, inserted, already, expired, sha256 }) {
        total += inserted + already;
        const left = expired > 0 ? `, ${expired} expired and left out` : "";
        write(`${database}.${name}: ${inserted} written, ${already} there already${left}, SHA-256 ${sha256}\n`);
      },
    });
  } finally {
    await client.close();
  }
  write(
    `The ${target.name} has the ${total} documents of ${source.collections.length} collections of ${source.name}: ` +
      "all were read again and compared.\n",
  );
}
