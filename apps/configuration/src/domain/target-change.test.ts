import { schemaReference } from "./schemas/schema-reference.ts";
import { targetChange } from "./target-change.ts";

describe("targetChange", () => {
  const request = { name: " New ", schemaId: "sch_1" };
  const mask = (...paths: string[]) => ({ ...request, updateMask: { paths } });

  it("changes the fields of the mask, or without a mask those that are not empty", () => {
    const both = { kind: "change", change: { name: "New", schemaId: "sch_1" } };
    expect(targetChange(request, "deployment")).toEqual(both);
    expect(targetChange(mask("name", "schema_id"), "deployment")).toEqual(both);
    expect(targetChange(mask("schema_id"), "deployment")).toEqual({ kind: "change", change: { schemaId: "sch_1" } });
    expect(targetChange(mask("name"), "model")).toEqual({ kind: "change", change: { name: "New" } });
    expect(targetChange(mask(), "model")).toEqual({ kind: "change", change: {} });
    expect(targetChange({ name: "", schemaId: "" }, "deployment")).toEqual({ kind: "change", change: {} });
  });

  it("reports all violations at once", () => {
    const fields = (outcome: ReturnType<typeof targetChange>) =>
      outcome.kind === "invalid" ? outcome.violations.map(({ field }) => field) : [];
    expect(fields(targetChange({ ...mask("name", "schema_id", "status"), name: " " }, "model"))).toEqual([
      "status",
      "name",
      "extractionSchemaId",
    ]);
    expect(fields(targetChange({ ...mask("schema_id"), schemaId: "" }, "deployment"))).toEqual(["extractionSchemaId"]);
    expect(fields(targetChange(mask("constructor"), "deployment"))).toEqual(["constructor"]);
  });
});

describe("schemaReference", () => {
  it.each(["1", "42", "999999999"])("reads %s as a version", (text) => {
    expect(schemaReference(text)).toEqual({ kind: "version", version: Number(text) });
  });

  it.each(["0", "01", "-1", "1.5", "1e3", " 1", "9999999999", "sch_1", "١"])("reads %p as an ID", (text) => {
    expect(schemaReference(text)).toEqual({ kind: "id", id: text });
  });
});
