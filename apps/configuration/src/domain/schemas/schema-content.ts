import type { Message } from "@bufbuild/protobuf";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type {
  Column,
  ColumnInput,
  ExtractionSettings,
  ExtractionSettingsInput,
  Matching,
  Table,
  TableInput,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";

/** The fields of a message, without the fields of the protobuf runtime. */
export type Fields<M extends Message> = Readonly<Omit<M, "$typeName" | "$unknown">>;

/** The content of an extraction schema. */
export interface SchemaContent {
  readonly instructions: string;
  readonly tables: readonly Fields<Table>[];
  readonly columns: readonly Fields<Column>[];
  readonly settings: Fields<ExtractionSettings>;
}

/** The content of a schema as a request describes it. */
export interface SchemaInput {
  readonly instructions: string;
  readonly tables: readonly Fields<TableInput>[];
  readonly columns: readonly Fields<ColumnInput>[];
  readonly settings: Fields<ExtractionSettingsInput> | undefined;
}

/** The default extraction settings. */
export const defaultSettings: Fields<ExtractionSettings> = {
  engine: "local",
  useExamples: true,
  numberOfExamples: 5,
};

/** The content of a model without a schema. */
export const emptyContent: SchemaContent = { instructions: "", tables: [], columns: [], settings: defaultSettings };

/**
 * Builds the content from a valid input. A table keeps its id while its slug is unchanged, and a column while its own slug and that of its
 * table are. Others get a new id from `newId`, which is called with "tbl" or "col".
 */
export function buildContent(
  input: SchemaInput,
  previous: SchemaContent,
  newId: (prefix: string) => string,
): SchemaContent {
  const tables = input.tables.map((table) => ({
    id: previous.tables.find(({ slug }) => slug === table.slug)?.id ?? newId("tbl"),
    slug: table.slug,
    name: table.name.trim() || table.slug,
    instructions: table.instructions,
    isPrimary: table.isPrimary ?? input.tables.length === 1,
  }));
  const idOfTable = new Map(tables.map(({ slug, id }) => [slug, id]));
  const idOfColumn = new Map(previous.columns.map(({ tableId, slug, id }) => [`${tableId} ${slug}`, id]));
  const sizes = new Map<string, number>();
  const columns = input.columns.map((column) => {
    const tableId = idOfTable.get(getTable(column, input.tables)) ?? "";
    const index = sizes.get(tableId) ?? 0;
    sizes.set(tableId, index + 1);
    return {
      id: idOfColumn.get(`${tableId} ${column.slug}`) ?? newId("col"),
      tableId,
      slug: column.slug,
      ...(column.sharedId === undefined ? {} : { sharedId: column.sharedId }),
      excludedFromExtraction: column.excludedFromExtraction,
      name: column.name.trim() || column.slug,
      type: column.type === ColumnType.UNSPECIFIED ? ColumnType.TEXT : column.type,
      description: column.description,
      isKey: column.isKey,
      required: column.required,
      enumValues: column.enumValues,
      synonyms: column.synonyms,
      index,
      ...(column.matching === undefined ? {} : { matching: column.matching }),
    };
  });
  return { instructions: input.instructions, tables, columns, settings: toSettings(input.settings) };
}

/** Returns the input that describes exactly this content. */
export function toInput(content: SchemaContent): SchemaInput {
  const slugById = new Map(content.tables.map(({ id, slug }) => [id, slug]));
  return {
    instructions: content.instructions,
    tables: content.tables,
    columns: content.columns.map((column) => ({ ...column, table: slugById.get(column.tableId) ?? "" })),
    settings: content.settings,
  };
}

/** Returns the slug of a column's table: the one that it names, or the only table. */
export function getTable(column: Pick<ColumnInput, "table">, tables: readonly Pick<TableInput, "slug">[]): string {
  if (column.table !== "" || tables.length !== 1) return column.table;
  return tables[0]?.slug ?? "";
}

/** Whether two contents are equal, including ids and order. */
export function isSameContent(left: SchemaContent, right: SchemaContent): boolean {
  return JSON.stringify(ordered(left)) === JSON.stringify(ordered(right));
}

/** Returns the names of the extracted columns in order. */
export function extractedColumnNames(content: Pick<SchemaContent, "columns">): string[] {
  return content.columns.filter((column) => !column.excludedFromExtraction).map((column) => column.name);
}

function toSettings(settings: Partial<Fields<ExtractionSettingsInput>> = {}): Fields<ExtractionSettings> {
  const { engine, modelName, temperature, useExamples, numberOfExamples } = settings;
  return {
    engine: engine ?? defaultSettings.engine,
    ...(modelName === undefined ? {} : { modelName }),
    ...(temperature === undefined ? {} : { temperature }),
    useExamples: useExamples ?? defaultSettings.useExamples,
    numberOfExamples: numberOfExamples ?? defaultSettings.numberOfExamples,
  };
}

function toMatchingList(matching: Fields<Matching> | undefined): unknown {
  if (matching === undefined) return null;
  const { kind, absoluteTolerance, relativeTolerance, maxEdits } = matching;
  return [kind, absoluteTolerance ?? null, relativeTolerance ?? null, maxEdits ?? null];
}

/** Converts a content to lists of values, which do not depend on the order of keys or on absent fields. */
function ordered({ instructions, tables, columns, settings }: SchemaContent): unknown {
  return [
    instructions,
    tables.map((table) => [table.id, table.slug, table.name, table.instructions, table.isPrimary]),
    columns.map((column) => [
      ...[column.id, column.tableId, column.slug, column.sharedId ?? null, column.excludedFromExtraction],
      ...[column.name, column.type, column.description, column.isKey, column.required],
      ...[column.enumValues, column.synonyms, column.index, toMatchingList(column.matching)],
    ]),
    [settings.engine, settings.modelName ?? null, settings.temperature ?? null],
    [settings.useExamples, settings.numberOfExamples],
  ];
}
