import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openEngines, parseEngineFile } from "./index.ts";
import { startEndpoint } from "./testing/index.ts";

const key = "sk-of-tests";
const variables = { LITELLM_KEY: key, OPENAI_API_KEY: key, VLLM_API_KEY: key };
const page = await readFile(join(import.meta.dirname, "../../../docs/engines.md"), "utf8");
const examples = [...page.matchAll(/^\*\*([^*\n]+)\*\*[^]*?```json\n([^]*?)```/gmu)].map(([, title, text]) => ({
  title,
  text,
}));

describe("the engines of docs/engines.md", () => {
  it("are these", () => {
    expect(examples.map(({ title }) => title)).toEqual(["Ollama", "vLLM", "llama.cpp", "LiteLLM", "A cloud service"]);
  });

  it.each(examples)("$title: asks an endpoint as it says", async ({ text = "" }) => {
    const [definition] = parseEngineFile(text, variables);
    if (definition === undefined) throw new Error("The example has no engine.");
    const { name, models, structuredOutput, images, inputPrice, organizations = ["org_1"] } = definition;
    const endpoint = await startEndpoint({
      answer: () => ({ total: 12.5 }),
      ...(definition.apiKey() === undefined ? {} : { key }),
    });
    const engines = openEngines({ definitions: [{ ...definition, baseUrl: endpoint.baseUrl }] });
    const { answer, usage } = await engines.ask({
      ...{ organizationId: organizations[0] ?? "", engine: name, modelName: null, temperature: 0 },
      question: {
        ...{ promptVersion: "1", instructions: "Name the total.", content: "Total: 12.50", answerName: "total" },
        answerSchema: { type: "object", properties: { total: { type: "number" } } },
        pictures: [Uint8Array.of(1)],
      },
      accept: (given) => given,
    });
    expect([answer, usage.cost === null, await engines.ping(name)]).toEqual([
      { total: 12.5 },
      inputPrice === undefined,
      true,
    ]);
    const [{ model, responseFormat, pictures } = {}] = endpoint.questions;
    expect([model, responseFormat, pictures?.length]).toEqual([models[0], structuredOutput, images ? 1 : 0]);
    await engines.close();
    await endpoint.close();
  });
});
