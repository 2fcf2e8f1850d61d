import { readFile } from "node:fs/promises";
import { promptVersion, rules } from "./prompt.ts";

const page = new URL("../../../../../../../docs/extraction-by-language-models.md", import.meta.url);

describe("the prompt of extraction", () => {
  it("is shown in the documentation, with its version", async () => {
    const text = await readFile(page, "utf8");
    expect(text).toContain(`\`\`\`text\n${rules}\n\`\`\``);
    expect(text).toContain(`\`${promptVersion}\``);
  });
});
