import { startEndpoint } from "@switchyard/engines/testing";
import { chromium, describeWith } from "../programs.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { invoiceText } from "../specification/testing/sample-world.ts";
import { createProjectCaller, findViolationsInBothSchemes, givenContext, openConsole } from "./opening.ts";
import type { ProjectCaller } from "./opening.ts";

/** What the model quotes from the document. */
const markup = "<img src=x onerror=globalThis.executed=true>";

/** A model that chooses the first route. */
const endpoint = await startEndpoint({
  answer: ({ instructions }) => {
    const route = /rte_\w+/.exec(instructions)?.[0] ?? "NONE";
    return { reason: "It asks for money.", quotes: [markup], route };
  },
});
const engine = { protocol: "openai", baseUrl: endpoint.baseUrl, models: ["large"], structuredOutput: "json_schema" };

describeWith(chromium, "the words behind a decision in Chromium", (path) => {
  const given = givenOffice("one process", { engines: { file: { model: engine } } });
  const browser = givenContext(path);
  let caller: ProjectCaller;
  beforeAll(async () => {
    caller = await createProjectCaller(given);
  });
  afterAll(async () => {
    await endpoint.close();
  });

  const classify = (text: string): Promise<any> =>
    getBody(given.rest.post(`/api/v1/classify/${given.office.classifier}`, { text, extract: false }), 201);
  const open = ({ classifierId, id }: any) => {
    const { projectId } = given.office;
    const address = `/projects/${projectId}/inbox/classifications/${classifierId}/${id}`;
    return openConsole(browser.context, given.system.url, caller, address);
  };
  const words = "Words that spoke for and against it";

  it("are shown as the current ones for a record that was stored without them, and nothing is recorded", async () => {
    const { rest, office } = given;
    const record = await classify(invoiceText);
    const inbox = `/api/v1/classify/${record.classifierId}`;
    const { page, complaints } = await open(record);
    await page.getByText("These words were not stored: the document was decided again").waitFor();
    const shown = await page.getByRole("list", { name: words }).first().getByRole("listitem").allInnerTexts();
    const { scores } = await getBody(rest.get(`${inbox}/classifications/${record.id}/explanation`), 200);
    const terms = scores[0].evidence.terms.slice(0, 6);
    expect(shown).toEqual(
      terms.map(({ term, weight }: any) => `${term} (${weight > 0 ? "+" : ""}${weight.toFixed(2)})`),
    );
    expect(await findViolationsInBothSchemes(page)).toEqual([]);
    expect(await getBody(rest.get(`${inbox}/classifications/${record.id}`), 200)).toEqual(record);
    expect((await getBody(rest.get(inbox), 200)).classificationCount).toBe(1);

    // A current decision that differs is shown beside that of the record, and labeled as such.
    await getBody(rest.post(`/api/v1/deployments/${office.deployment}:pause`), 200);
    await page.reload();
    const now = page.getByRole("region", { name: "Decided again for this page" });
    await now.getByText("Today the document would not be routed").waitFor();
    await now.getByText("Invoice (Excluded: deployment paused)").waitFor();
    await now.getByText(/^Engine: local, version 2, learned from 0 documents$/).waitFor();
    await page.getByRole("button", { name: "Right" }).waitFor();
    expect(await findViolationsInBothSchemes(page)).toEqual([]);
    await getBody(rest.post(`/api/v1/deployments/${office.deployment}:resume`), 200);

    // Without the file, the page says why there are none.
    await getBody(rest.send(`/api/v1/files/${record.fileId}`, { method: "DELETE" }), 204);
    await page.reload();
    await page.getByText("cannot be shown: The file of the record was deleted.").waitFor();
    expect(complaints.filter((text) => !/40[49]/.test(text))).toEqual([]);
  });

  it("are asked for by a button where a language model decided, because that may cost something", async () => {
    const { rest, office } = given;
    await getBody(rest.patch(`/api/v1/classify/${office.classifier}`, { settings: { engine: "model" } }), 200);
    const record = await classify(`${invoiceText}\n${markup}`);
    const { page, requested, complaints } = await open(record);
    const button = page.getByRole("button", { name: "Show the words that speak for each route" });
    await button.waitFor();
    await page.getByText("may ask the language model again").waitFor();
    expect(await findViolationsInBothSchemes(page)).toEqual([]);
    const explanations = () => requested.filter((each) => each.endsWith("/explanation")).length;
    expect(explanations()).toBe(0);
    await button.click();
    await page.getByRole("list", { name: words }).getByText(`${markup} (+0.50)`).waitFor();
    expect(await page.evaluate("globalThis.executed")).toBeUndefined();
    expect(explanations()).toBe(1);
    // Someone who returns to the page sees its current state, but does not ask the model again.
    const records = () => requested.filter((each) => each.endsWith(`/classifications/${record.id}`)).length;
    const before = records();
    await expect
      .poll(async () => {
        await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
        return records();
      })
      .toBeGreaterThan(before + 1);
    expect(explanations()).toBe(1);
    expect(complaints).toEqual([]);
  });
});
