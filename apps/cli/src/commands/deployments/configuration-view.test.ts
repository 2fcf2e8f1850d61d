import type { Configuration } from "@switchyard/client";
import { renderPlainView } from "@switchyard/terminal";
import { configurationView } from "./configuration-view.ts";

describe("configurationView", () => {
  it.each([
    [0.07, "NUMERIC 7 %"],
    [0.29, "NUMERIC 29 %"],
    [0.000_125, "NUMERIC 0.0125 %"],
  ])("shows the relative tolerance %d as a decimal number", (relativeTolerance, expected) => {
    const matching = { kind: "NUMERIC", absoluteTolerance: null, relativeTolerance, maxEdits: null };
    const configuration = {
      deployment: null,
      tables: [],
      columns: [{ slug: "total", matching }],
      extractionSettings: null,
    };
    const shown = renderPlainView(configurationView(configuration as unknown as Configuration), false);
    expect(shown.trimEnd().split("\t").at(-1)).toBe(expected);
  });
});
