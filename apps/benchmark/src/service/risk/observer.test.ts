import { create, fromJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { ColumnType, ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { AcceptedFileService } from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { unavailable } from "@switchyard/rpc";
import { createObserver } from "./observer.ts";

const model = { projectId: "prj_1", modelId: "mdl_1", schemaId: "sch_1" };
const total = (number: number) => ({ total: fromJson(ValueSchema, number) });

/** Creates an observer of files, each of which has the accepted total 1 and the extracted total of its number. */
function createFixture(count: number) {
  const state = { revision: "1", extracted: [] as string[], fails: false };
  const transport = createRouterTransport(({ service }) => {
    service(TargetService, {
      getSchema: () =>
        create(ConfigurationSchema, {
          tables: [{ id: "tbl_1", slug: "receipt", isPrimary: true }],
          columns: [{ id: "col_1", tableId: "tbl_1", slug: "total", type: ColumnType.NUMBER }],
        }),
    });
    service(AcceptedFileService, {
      listAcceptedFiles: () => ({
        files: Array.from({ length: count }, (_, index) => ({ fileId: `fil_${index}`, revision: state.revision })),
        engine: { name: "local", version: "1" },
      }),
      getAcceptedRevision: () => ({ tables: [{ slug: "receipt", rows: [{ values: total(1) }] }] }),
      extractFile({ fileId, modelId, excludedFileIds }) {
        if (state.fails) throw unavailable("NOT_READY", "The service is starting.");
        expect([modelId, excludedFileIds]).toEqual(["mdl_1", [fileId]]);
        state.extracted.push(fileId);
        const number = Number(fileId.slice(4));
        if (number === 2) return { error: { code: "UNREADABLE_FILE", message: "" } };
        const sources = [TextSource.OCR, TextSource.TEXT, TextSource.TEXT];
        const evidence = number === 3 ? {} : { total: { source: sources[number] ?? TextSource.TEXT } };
        return {
          tables: [{ slug: "receipt", rows: [{ values: total(number), confidence: { total: 0.5 }, evidence }] }],
        };
      },
    });
  });
  const observe = createObserver({
    documents: createClient(AcceptedFileService, transport),
    targets: createClient(TargetService, transport),
    settings: { maxParallelFiles: 2, extractTimeoutMs: 60_000 },
    maxFiles: 5,
    maxValues: 10,
  });
  return { state, observe };
}

describe("the observer of accepted files", () => {
  it("compares what was extracted by what other files taught, and treats failed files as files without values", async () => {
    const { observe } = createFixture(4);
    const { files } = await observe(model);
    const value = { columnId: "col_1", confidence: 0.5 };
    expect(files).toEqual([
      { fileId: "fil_0", values: [{ ...value, source: "OCR", wrong: true }] },
      { fileId: "fil_1", values: [{ ...value, source: "TEXT", wrong: false }] },
      { fileId: "fil_2", values: [] },
      // Nothing supports it.
      { fileId: "fil_3", values: [{ ...value, confidence: 0, source: "TEXT", wrong: true }] },
    ]);
  });

  it("extracts each file once until an accepted value changes, and keeps no failure", async () => {
    const { observe, state } = createFixture(3);
    state.fails = true;
    await expect(observe(model)).rejects.toThrow();
    state.fails = false;
    const [first, second] = await Promise.all([observe(model), observe(model)]);
    expect(second).toBe(first);
    expect(await observe(model)).toBe(first);
    expect(state.extracted).toHaveLength(3);
    state.revision = "2";
    expect(await observe(model)).not.toBe(first);
    expect(state.extracted).toHaveLength(6);
  });

  it("keeps the last models, as far as their values fit", async () => {
    const { observe, state } = createFixture(5);
    const others = ["sch_2", "sch_3"].map((schemaId) => ({ ...model, schemaId }));
    const [first] = [await observe(model), await observe(others[0]!)];
    expect(await observe(model)).toBe(first);
    expect(state.extracted).toHaveLength(10);
    // Each has four values and counts as five, so two fit.
    await observe(others[1]!);
    expect(await observe(model)).toBe(first);
    expect(state.extracted).toHaveLength(15);
    await observe(others[0]!);
    expect(state.extracted).toHaveLength(20);
  });

  it("draws files if there are too many, always the same", async () => {
    const { observe, state } = createFixture(12);
    expect((await observe(model)).files).toHaveLength(5);
    const drawn = state.extracted.splice(0).sort();
    state.revision = "2";
    await observe(model);
    expect(state.extracted.sort()).toEqual(drawn);
  });
});
