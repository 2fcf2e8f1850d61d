import { fromJson, toJson } from "@bufbuild/protobuf";
import type { JsonValue } from "@bufbuild/protobuf";
import { EvidenceSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Evidence, ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import type { CellScore } from "../../domain/tables/table-score.ts";

/** Returns the place at which the value of each cell was found, in the order of the cells. Undefined for a cell without an extracted value. */
export function findPlaces(
  cells: readonly Pick<CellScore, "table" | "column" | "actualRow" | "actual">[],
  tables: readonly Pick<ExtractedTable, "slug" | "rows">[],
): (Evidence | undefined)[] {
  const rows = new Map<string, ExtractedTable["rows"]>();
  for (const { slug, rows: more } of tables) rows.set(slug, [...(rows.get(slug) ?? []), ...more]);
  return cells.map(({ table, column, actualRow, actual }) =>
    actualRow === null || actual === null ? undefined : rows.get(table)?.[actualRow]?.evidence[column],
  );
}

/** Compresses places for storage. */
export async function packPlaces(places: readonly (Evidence | undefined)[]): Promise<Uint8Array> {
  const json = places.map((place) => (place === undefined ? null : toJson(EvidenceSchema, place)));
  return promisify(deflate)(JSON.stringify(json));
}

/** Restores packed places. */
export async function unpackPlaces(bytes: Uint8Array): Promise<(Evidence | undefined)[]> {
  const json = JSON.parse((await promisify(inflate)(bytes)).toString("utf8")) as (JsonValue | null)[];
  return json.map((place) =>
    place === null ? undefined : fromJson(EvidenceSchema, place, { ignoreUnknownFields: true }),
  );
}
