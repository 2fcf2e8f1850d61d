import { connectForTransfer, createServerSource, importInto, openArchive, writeArchive } from "../archive/index.ts";
import type { Source } from "../archive/index.ts";
import { join, resolve } from "node:path";
import type { Config } from "../config.ts";
import { openEmbeddedStore, openMongo } from "../database.ts";
import type { Database } from "../database.ts";

type TransferConfig = Pick<Config, "dataFolder" | "mongodbUri" | "mongodBinary">;
type Write = (text: string) => void;

/** The arguments of `store export` and `store import`. */
export type TransferCommand =
  | { kind: "export"; archive: string | undefined; fromMongo: boolean }
  | { kind: "import"; archive: string | undefined; toEmbedded: boolean; replace: boolean };

/** Runs `store export` or `store import`, and prints the result of each collection. Throws if the transfer is not complete. */
export async function transferStore(config: TransferConfig, command: TransferCommand, write: Write): Promise<void> {
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
    write(`Importing ${opened.name}, exported at ${opened.exportedAt}.\n`);
    await importFrom(opened, target, replace, write);
  } finally {
    await target.close();
  }
}

/** Opens the data of a database server as a source, and closes the server afterwards. */
async function withSource(from: Database, run: (source: Source) => Promise<void>): Promise<void> {
  try {
    const client = await connectForTransfer(from.uri);
    try {
      const source = await createServerSource(client, `the ${from.name}`);
      // Most likely the wrong folder or server.
      if (source.collections.length === 0) throw new Error(`${source.name} has no collections to export`);
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
      "The root secret is not included. Existing tokens are only valid with the same root secret.\n",
  );
}

async function importFrom(source: Source, target: Database, replace: boolean, write: Write): Promise<void> {
  const client = await connectForTransfer(target.uri);
  let total = 0;
  try {
    await importInto(client, source, {
      replace,
      onImported({ database, name, inserted, existing, expired, sha256 }) {
        total += inserted + existing;
        const skipped = expired > 0 ? `, ${expired} expired and skipped` : "";
        write(`${database}.${name}: ${inserted} written, ${existing} already existed${skipped}, SHA-256 ${sha256}\n`);
      },
    });
  } finally {
    await client.close();
  }
  write(
    `The ${target.name} now has the ${total} documents of ${source.collections.length} collections of ${source.name}. ` +
      "All were read again and compared.\n",
  );
}
