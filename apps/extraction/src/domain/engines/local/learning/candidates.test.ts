import { createConfiguration, plainDocument } from "../../../../testing/documents.ts";
import { analyze, toTables } from "../analysis.ts";
import { findCandidates } from "./candidates.ts";

describe("candidates of which a column is learned", () => {
  it("contain no line that is only a label of something else", () => {
    const tables = toTables(createConfiguration({ receipt: [["company", "Company"]] }));
    const lines = ["HILL TRADING", "Company No", "123456-X", "12 High Street", "Total 12.00"];
    const context = analyze(plainDocument(lines.join("\n")), tables);
    const field = tables[0]?.fields[0];
    if (field === undefined) throw new Error("The configuration has no column");
    const values = findCandidates(field, context).map(({ candidate }) => String(candidate.value));
    expect(values).toContain("HILL TRADING");
    expect(values.filter((value) => value.includes("Company No"))).toEqual([]);
  });
});
