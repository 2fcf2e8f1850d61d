import { create, createRegistry, equals } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { ReadDocumentRequestSchema } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import { ExtractionSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { copyMessage, freezeMessage } from "./message-copy.ts";

describe("copyMessage", () => {
  it("makes deep copies of lists, maps, messages and unknown fields", () => {
    const value = create(ValueSchema, { kind: { case: "stringValue", value: "12.50" } });
    const original = create(ExtractionSchema, {
      id: "ext_1",
      targetDeploymentId: "dep_1",
      tables: [{ slug: "items", rows: [{ values: { amount: value }, confidence: { amount: 0.5 } }] }],
    });
    original.$unknown = [{ no: 99, wireType: 0, data: new Uint8Array([1]) }];
    const copy = copyMessage(original);
    expect(equals(ExtractionSchema, copy, original, { unknown: true, registry: createRegistry() })).toBe(true);
    expect(copy).toEqual(original);
    copy.tables[0]?.rows.push(...original.tables[0]!.rows);
    const amount = copy.tables[0]?.rows[0]?.values["amount"];
    if (amount !== undefined) amount.kind = { case: undefined };
    expect(original.tables[0]?.rows).toHaveLength(1);
    expect(original.tables[0]?.rows[0]?.values["amount"]?.kind.value).toBe("12.50");
  });

  it("shares bytes", () => {
    const data = new Uint8Array(1_000);
    const original = create(ReadDocumentRequestSchema, { document: { case: "content", value: { data } } });
    const copy = copyMessage(original);
    expect(copy.document).not.toBe(original.document);
    expect(copy.document.case === "content" && copy.document.value.data).toBe(data);
  });

  it("copies a map with the key __proto__ as a map", () => {
    const row = JSON.parse('{"__proto__": {"polluted": true}}') as Record<string, unknown>;
    const copy = copyMessage(row);
    expect(Object.keys(copy)).toEqual(["__proto__"]);
    expect((copy as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("freezeMessage", () => {
  it("freezes a message deeply, except for its bytes", () => {
    const data = new Uint8Array(2);
    const document = { case: "content" as const, value: { data } };
    const message = freezeMessage(create(ReadDocumentRequestSchema, { document }));
    expect(() => (message.maxPages = 1)).toThrow(TypeError);
    expect(message.document.case === "content" && Object.isFrozen(message.document.value)).toBe(true);
    data[0] = 1;
    expect(message.document.case === "content" && message.document.value.data[0]).toBe(1);
  });
});
