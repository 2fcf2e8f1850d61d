import { describeConfigurationChanges } from "./configuration-changes.ts";
import { defaultSettings, emptyContent } from "./schema-content.ts";
import type { SchemaContent } from "./schema-content.ts";

const table = (slug: string, name = slug) => ({ id: `tbl_${slug}`, slug, name, instructions: "", isPrimary: true });

describe("describeConfigurationChanges", () => {
  it("reports nothing for equal contents", () => {
    expect(describeConfigurationChanges(emptyContent, { ...emptyContent })).toEqual({});
  });

  it("reports the slugs of tables that were added, removed and changed", () => {
    const from: SchemaContent = { ...emptyContent, tables: [table("a"), table("b"), table("c")] };
    const to: SchemaContent = { ...emptyContent, tables: [table("b", "Bee"), table("c"), table("d")] };
    expect(describeConfigurationChanges(from, to)).toEqual({
      tables: { added: ["d"], removed: ["a"], changed: ["b"] },
    });
    expect(describeConfigurationChanges(from, { ...from, tables: from.tables.toReversed() })).toEqual({ tables: {} });
  });

  it("reports both values of texts and settings, with texts shortened to 500 characters", () => {
    const to: SchemaContent = {
      ...emptyContent,
      instructions: "ä".repeat(501),
      settings: { ...defaultSettings, temperature: 0.5 },
    };
    const settings = { ...defaultSettings, modelName: null, temperature: null };
    expect(describeConfigurationChanges(emptyContent, to)).toEqual({
      instructions: { from: "", to: `${"ä".repeat(500)}…` },
      extractionSettings: { from: settings, to: { ...settings, temperature: 0.5 } },
    });
  });
});
