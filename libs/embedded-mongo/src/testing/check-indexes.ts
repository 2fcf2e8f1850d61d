import { Buffer } from "node:buffer";
import { createFieldKeys, getIndexKeys } from "../indexes/index-keys.ts";
import type { Engine } from "../engine.ts";
import { decode } from "../values/values.ts";

/**
 * Compares every index with a full scan of its collection. Reports keys without a document, documents without a key, duplicate keys of
 * unique indexes, arrays that the catalog does not record, and tables that belong to nothing. Each problem is a sentence.
 */
export function checkIndexes({ catalog, sqlite }: Engine): string[] {
  const problems: string[] = [];
  const tables = new Set(["collections", "indexes", "sessions", "sqlite_sequence"]);
  for (const collection of catalog.list()) {
    tables.add(`documents_${collection.id}`);
    const rows = sqlite.statement(`SELECT record, body FROM documents_${collection.id}`).all();
    const documents = rows.map(({ record, body }) => ({ record, document: decode(body as Uint8Array) }));
    for (const index of collection.indexes) {
      tables.add(`keys_${index.id}`);
      const name = `${collection.database}.${collection.name} ${index.definition.name}`;
      const missing = new Set<string>();
      for (const { record, document } of documents) {
        const { keys, multikey } = getIndexKeys(index.definition, createFieldKeys(document));
        for (const { key } of keys.values()) missing.add(`${key.toString("hex")} of record ${String(record)}`);
        if (multikey.some((flag, at) => flag && index.multikey[at] !== true)) {
          problems.push(`${name}: record ${String(record)} has an array that the catalog does not record`);
        }
      }
      let before = "";
      for (const { key, record } of sqlite.statement(`SELECT key, record FROM keys_${index.id} ORDER BY key`).all()) {
        const hex = Buffer.from(key as Uint8Array).toString("hex");
        const entry = `${hex} of record ${String(record)}`;
        if (!missing.delete(entry)) problems.push(`${name}: no document has the key ${entry}`);
        if (index.definition.unique && hex === before) problems.push(`${name}: the key ${hex} is duplicated`);
        before = hex;
      }
      problems.push(...[...missing].map((entry) => `${name}: the index lacks the key ${entry}`));
    }
  }
  const stored = sqlite.statement("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  for (const { name } of stored)
    if (!tables.has(String(name))) problems.push(`the table ${String(name)} belongs to no index or collection`);
  return problems;
}
