import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { engineFileJsonSchema } from "./engine-file-schema.ts";
import { parseEngineFile, readEngineFile } from "./engine-file.ts";

const minimal = {
  protocol: "openai",
  baseUrl: "http://127.0.0.1:11434/v1",
  models: ["qwen3"],
  structuredOutput: "json_schema",
};
const parse = (engine: object, name = "ollama"): unknown => parseEngineFile(JSON.stringify({ [name]: engine }), {});

const docs = join(import.meta.dirname, "../../../docs");

describe("the file of engines", () => {
  it("is described by docs/engines.schema.json", async () => {
    // If this fails, run UPDATE_GOLDEN=1 npm test -- libs/engines, and format the file.
    const path = join(docs, "engines.schema.json");
    if (process.env["UPDATE_GOLDEN"] === "1") await writeFile(path, JSON.stringify(engineFileJsonSchema()));
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual(JSON.parse(JSON.stringify(engineFileJsonSchema())));
  });

  it("may contain every example of docs/engines.md", async () => {
    const page = await readFile(join(docs, "engines.md"), "utf8");
    const examples = [...page.matchAll(/```json\n([^]*?)```/g)]
      .map(([, text = ""]) => text)
      .filter((text) => text.includes('"protocol"'));
    expect(examples.length).toBeGreaterThan(5);
    const variables = { OFFICE_KEY: "x", LITELLM_KEY: "x", OPENAI_API_KEY: "x", VLLM_API_KEY: "x", LLAMA_API_KEY: "x" };
    for (const example of examples) expect(parseEngineFile(example, variables)).toHaveLength(1);
  });

  it("has defaults, and takes keys from variables without printing them", () => {
    expect(parse(minimal)).toEqual([
      {
        ...minimal,
        name: "ollama",
        images: false,
        timeoutSeconds: 30,
        parallel: 4,
        apiKey: expect.any(Function),
      },
    ]);
    const [engine] = parseEngineFile(JSON.stringify({ a: { ...minimal, apiKeyEnv: "A_KEY" } }), { A_KEY: "sk-secret" });
    expect(engine?.apiKey()).toBe("sk-secret");
    expect(JSON.stringify(engine)).not.toContain("sk-secret");
    expect(readEngineFile(undefined, {})).toEqual([]);
  });

  it.each([
    [{ baseUrl: "ftp://x/v1" }, "ollama.baseUrl"],
    [{ baseUrl: "http://user:sk-secret@x/v1" }, "ollama.baseUrl: must not contain credentials"],
    [{ apiKeyEnv: "NOT_SET" }, "ollama.apiKeyEnv: the variable is not set"],
    [{ apiKey: "sk-secret" }, "ollama.apiKey: unknown field"],
    [{ models: [] }, "ollama.models"],
    [{ models: ["a", "a"] }, "ollama.models: must be distinct"],
    [{ structuredOutput: "yes" }, "ollama.structuredOutput"],
    [{ protocol: "sk-secret" }, "ollama.protocol"],
    [{ timeoutSeconds: 0 }, "ollama.timeoutSeconds"],
    [{ parallel: 1.5 }, "ollama.parallel"],
    [{ requestsPerMinute: 0 }, "ollama.requestsPerMinute"],
    [{ inputPrice: -1 }, "ollama.inputPrice"],
    [{ organizations: [] }, "ollama.organizations"],
  ])("is refused with the place of the fault, and without values: %o", (fields, place) => {
    const read = (): unknown => parse({ ...minimal, ...fields });
    expect(read).toThrow(`SWITCHYARD_ENGINES: the file is invalid:\n  ${place}`);
    expect(read).not.toThrow("sk-secret");
  });

  it("is refused if it is not JSON, if it is missing, or if an engine has the name of the local one", () => {
    expect(() => parseEngineFile('{"a": sk-secret}', {})).toThrow(/it is not valid JSON$/);
    expect(() => parse(minimal, "local")).toThrow("must not be that of an engine of Switchyard itself");
    expect(() => parse(minimal, "a b")).toThrow("the name of an engine must be a name of");
    expect(() => readEngineFile("/nowhere/engines.json", {})).toThrow(
      "SWITCHYARD_ENGINES: the file /nowhere/engines.json cannot be read (ENOENT)",
    );
  });
});
