import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client, HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller, requireReach } from "@switchyard/access";
import { HttpBodySchema } from "@switchyard/contracts/google/api/httpbody";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import {
  ListValuesResponseSchema,
  ValueRowSchema,
  ValueStatus,
} from "@switchyard/contracts/switchyard/extraction/v1/values";
import type { ListValuesRequest, ValueRow, ValuesService } from "@switchyard/contracts/switchyard/extraction/v1/values";
import { callOptions, invalid } from "@switchyard/rpc";
import { openPage, toTimeRange } from "@switchyard/storage";
import type { PageTokens } from "@switchyard/storage";
import { characterCount, fold } from "@switchyard/text";
import type { ValuesStatus } from "../../store/values/current-values.ts";
import { resolveTarget } from "../targets.ts";
import { getFormat } from "./export.ts";
import type { FileRow, RowPlace, RowQuery, RowReader } from "./rows.ts";

/** The dependencies of the methods. */
export interface ValuesDependencies {
  targets: Client<typeof TargetService>;
  rows: RowReader;
  pageTokens: PageTokens;
}

type ValuesFilter = Pick<ListValuesRequest, "targetId" | "table" | "status" | "from" | "to" | "search">;

const maxSearchLength = 200;
/** The number of files that an export reads at once. */
const exportBatch = 200;

/** Creates the methods for values across documents. */
export function createValuesMethods({
  targets,
  rows,
  pageTokens,
}: ValuesDependencies): ServiceImpl<typeof ValuesService> {
  /** Finds the model and the table of a request, and returns its query, with the columns of the table. */
  async function open(filter: ValuesFilter, context: HandlerContext) {
    const caller = getCaller(context);
    const options = callOptions(context);
    const { modelId, projectId, schemaId } = await resolveTarget(targets, caller, filter.targetId, options);
    requireReach(caller, projectId);
    const bounds = toBounds(filter);
    const schema = schemaId === null ? undefined : await targets.getSchema({ schemaId }, options);
    const table = schema?.tables.find(({ slug, isPrimary }) =>
      filter.table === "" ? isPrimary : slug === filter.table,
    );
    if (table === undefined && filter.table !== "") {
      const slugs = (schema?.tables ?? []).map(({ slug }) => slug).join(", ");
      throw invalid([{ field: "table", message: `must be a table of the model${slugs === "" ? "" : `: ${slugs}`}` }]);
    }
    const columns = (schema?.columns ?? [])
      .filter(({ tableId }) => tableId === table?.id)
      .sort((one, other) => one.index - other.index)
      .map(({ slug }) => slug);
    const query: RowQuery = {
      modelId,
      ...bounds,
      status: statuses.get(filter.status),
      search: fold(filter.search),
      table: table?.slug ?? "",
    };
    return { query, columns };
  }

  return {
    async listValues(request, context) {
      const { query } = await open(request, context);
      const { from, to } = query;
      const page = openPage(
        pageTokens,
        { list: "values", ...query, from: from?.getTime(), to: to?.getTime() },
        request,
      );
      const found = await rows.page(query, page.after === undefined ? undefined : toPlace(page.after), page.size);
      return create(ListValuesResponseSchema, {
        rows: found.rows.map(rowMessage),
        ...(found.next === undefined ? {} : { nextPageToken: page.getToken(fromPlace(found.next)) }),
      });
    },

    async *exportValues(request, context) {
      const { query, columns } = await open(request, context);
      const format = getFormat(request.format);
      const { contentType, extension } = format;
      const table = query.table === "" ? "values" : query.table;
      context.responseHeader.set("x-file-name", encodeURIComponent(`${table}.${extension}`));
      const exported = { table, columns, rows: allRows(rows, query) };
      for await (const data of format.write(exported)) yield create(HttpBodySchema, { contentType, data });
    },
  };
}

const statuses: ReadonlyMap<ValueStatus, ValuesStatus> = new Map([
  [ValueStatus.ACCEPTED, "ACCEPTED"],
  [ValueStatus.NEEDS_REVIEW, "NEEDS_REVIEW"],
  [ValueStatus.UNREVIEWED, "UNREVIEWED"],
]);

async function* allRows(reader: RowReader, query: RowQuery): AsyncGenerator<FileRow, void> {
  for await (const { rows } of reader.files(query, undefined, exportBatch)) yield* rows;
}

function toBounds(filter: ValuesFilter): Pick<RowQuery, "from" | "to"> {
  const bounds = toTimeRange(filter);
  if (characterCount(filter.search) > maxSearchLength) {
    throw invalid([{ field: "search", message: `must have at most ${maxSearchLength} characters` }]);
  }
  return bounds;
}

function rowMessage({ file, number, row }: FileRow): ValueRow {
  return create(ValueRowSchema, {
    fileId: file.fileId,
    filename: file.filename,
    ...(file.extraction === null ? {} : { extractionId: file.extraction.id, confidence: row.confidence }),
    row: number,
    values: row.values,
    accepted: file.accepted,
    createdAt: timestampFromDate(file.fileCreatedAt),
  });
}

function fromPlace({ position, number }: RowPlace): string {
  return `${number ?? ""} ${position}`;
}

function toPlace(text: string): RowPlace {
  const [number = "", position = ""] = text.split(" ");
  return { position, number: number === "" ? null : Number(number) };
}
