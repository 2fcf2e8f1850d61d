import { toBinary } from "@bufbuild/protobuf";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { plainText } from "../../reading/index.ts";
import type { AcceptedRecord } from "../../store/accepted.ts";
import type { FileRecord } from "../../store/files.ts";
import type { StoredText } from "../../store/texts.ts";
import { createConfiguration, plainDocument } from "../../testing/documents.ts";
import { createTeaching } from "./teaching.ts";

const texts: Readonly<Record<string, string>> = {
  contract: "Agreement between the parties\nTerm and termination",
  harbour: "Harbour Works Ltd\nInvoice of the harbour\nBolts and nuts\nTotal: 5.00",
  bakery: "Bakery Brown\nInvoice\nBread and rolls\nTotal: 7.00",
  other: "Harbour Works Ltd\nReminder of an invoice\nTotal: 9.00",
};
const encode = (text: string): Uint8Array => toBinary(DocumentTextSchema, plainDocument(text));
const createFile = (id: string, sha256 = id) => ({ _id: id, organizationId: "org_1", sha256 }) as FileRecord;

const configuration = createConfiguration({ document: [["total", "Total", "NUMBER"]] });
const settings = { engine: "test", useExamples: true, numberOfExamples: 2 };
configuration.extractionSettings = { $typeName: "switchyard.configuration.v1.ExtractionSettings", ...settings };
const engine = { kind: "language-model", name: "test", version: "extraction-1", modelName: "large" } as const;

const teaching = createTeaching({
  accepted: {
    newest: async () =>
      Object.keys(texts).map((fileId) => ({ fileId, modelId: "mdl", revision: fileId }) as AcceptedRecord),
    revision: async () => [],
  },
  files: { listOfProject: async (_, ids) => ids.map((id) => createFile(id)) },
  textCache: { get: async ({ _id }) => ({ text: encode(texts[_id] ?? "") }) as StoredText },
  extractions: { findByEngine: async () => [], getTables: async () => null },
});

/** Returns the first lines of the examples for a document, in their order. */
async function findExamples(text: string, file = createFile("new"), changes = {}) {
  const own = { ...configuration, extractionSettings: { ...configuration.extractionSettings, ...changes } };
  const subject = { file, configuration: own as typeof configuration, crossFitted: false };
  const model = { projectId: "prj", modelId: "mdl" };
  const { signal } = new AbortController();
  const { knowledge, learnedFrom } = await teaching.find({ ...subject, model }, engine, encode(text), signal);
  const titles = knowledge?.examples.map((example) => plainText(example.text, { maxCharacters: 100 }).split("\n")[0]);
  return { titles, learnedFrom };
}

describe("the examples for a document", () => {
  const bolts = "Harbour Works Ltd\nInvoice of the harbour\nBolts, nuts and screws\nTotal: 812.00";

  it("are the accepted files that are most like it, the nearest first, and as many as the settings say", async () => {
    expect(await findExamples(bolts, undefined, { numberOfExamples: 3 })).toEqual({
      titles: ["Harbour Works Ltd", "Harbour Works Ltd", "Bakery Brown"],
      learnedFrom: 4,
    });
    expect((await findExamples("Bakery Brown\nBread", undefined)).titles?.[0]).toBe("Bakery Brown");
    expect((await findExamples("Termination of the agreement")).titles).toHaveLength(2);
    expect((await findExamples(bolts, undefined, { numberOfExamples: 0 })).titles).toEqual([]);
  });

  it("are never the file itself or a copy of it, and none if the settings say so", async () => {
    const copy = createFile("new", "harbour");
    const { titles, learnedFrom } = await findExamples(texts["harbour"] ?? "", copy, { numberOfExamples: 20 });
    expect([titles?.filter((title) => title === "Harbour Works Ltd").length, titles?.length, learnedFrom]).toEqual([
      1, 3, 3,
    ]);
    expect(await findExamples(bolts, undefined, { useExamples: false })).toEqual({ titles: undefined, learnedFrom: 0 });
  });
});
