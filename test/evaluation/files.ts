/**
 * `npm run evaluate -- files`: classifies the real files of the folder DOCUMENT_SETS over REST, on a whole system with a classifier of
 * five routes, which routing/office-mix.routes.json describes. Prints where each type was routed. Abstaining counts as a miss.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createRest } from "../rest.ts";
import type { Rest } from "../rest.ts";
import { startTestSystem } from "../system.ts";

interface RouteWords {
  name: string;
  description: string;
  columns: string[];
}

/** The routes of the classifier, each with the folder of the files that belong to it. */
const routes = {
  nda: "nda",
  tv_ad_buy: "tv_ad_buy",
  invoice: "invoice",
  email: "email",
  fara_short_form: "fara",
} as const;

async function main(folder: string): Promise<void> {
  const words = JSON.parse(await readFile(join(folder, "routing/office-mix.routes.json"), "utf8")) as Record<
    string,
    RouteWords
  >;
  const system = await startTestSystem("one process");
  try {
    const rest = createRest(system.url, system.token);
    const classifier = await createClassifier(rest, words);
    for (const [label, directory] of Object.entries(routes)) {
      const wanted = words[label]?.name;
      const outcomes = new Map<string, number>();
      const files = (await readdir(join(folder, "files", directory))).sort();
      for (const name of files) {
        const bytes = new Uint8Array(await readFile(join(folder, "files", directory, name)));
        const { body } = await rest.upload(`/api/v1/classify/${classifier}`, name, bytes, { extract: "false" });
        const outcome = body.routeName ?? body.reason.code;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
      const right = outcomes.get(wanted ?? "") ?? 0;
      const others = [...outcomes].map(([outcome, count]) => `${outcome} ${count}`).join(", ");
      console.log(
        `${directory.padEnd(10)} ${String(right).padStart(3)} of ${String(files.length).padEnd(3)} right   ${others}`,
      );
    }
  } finally {
    await system.close();
  }
}

async function createClassifier(rest: Rest, words: Record<string, RouteWords>): Promise<string> {
  const project = await rest.post("/api/v1/projects", { name: "Evaluation" });
  const bodies = [];
  for (const label of Object.keys(routes)) {
    const { name = "", description = "", columns = [] } = words[label] ?? {};
    const model = await rest.post(`/api/v1/projects/${project.body.id}/deployments`, {
      name,
      tables: [{ slug: "document", isPrimary: true }],
      columns: columns.map((column, index) => ({ slug: `column_${index}`, name: column })),
    });
    bodies.push({ deploymentId: model.body.id, name, description });
  }
  const created = await rest.post("/api/v1/classify", { projectId: project.body.id, name: "Office", routes: bodies });
  return created.body.id;
}

const folder = process.env["DOCUMENT_SETS"];
if (folder === undefined) console.log("skipped: DOCUMENT_SETS names no folder");
else await main(folder);
