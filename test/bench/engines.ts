// Measures how fast the local engine classifies while the endpoint of another engine hangs, and many callers want that one.
import { startEndpoint } from "@switchyard/engines/testing";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { createSender } from "../burst.ts";
import { createOffice } from "../journeys/fixture.ts";
import { createRest } from "../rest.ts";
import { startTestSystem } from "../system.ts";

const seconds = Number(process.env["SWITCHYARD_BENCH_SECONDS"] ?? 30);
/** More callers of the engine than may wait for it. Callers wait as long as `Retry-After` says. */
const callers = { local: 4, engine: 40 };
/** The share of the documents that are still classified while the endpoint hangs. */
const aim = 0.8;

/** Classifies with the local engine before, during and after an outage, each for SWITCHYARD_BENCH_SECONDS. */
export async function measure(): Promise<boolean> {
  const endpoint = await startEndpoint({
    answer: ({ instructions }) => ({
      reason: "",
      quotes: ["Invoice"],
      route: /"id":"(rte_\w+)"/u.exec(instructions)?.[1],
    }),
  });
  const engine = { protocol: "openai", baseUrl: endpoint.baseUrl, models: ["m"], structuredOutput: "json_schema" };
  const engines = { file: { slow: { ...engine, timeoutSeconds: 5 } } };
  const system = await startTestSystem("separate processes", { engines });
  try {
    const rest = createRest(system.url, system.token);
    const { projectId, invoices } = await createOffice(rest, "Accounts payable");
    const create = async (name: string, settings: object) => {
      const routes = [{ deploymentId: invoices, name: "Invoice" }];
      const { body } = await rest.post("/api/v1/classify", { projectId, name, settings, routes });
      return createSender({ ...system, classifier: body.id });
    };
    const [local, slow] = [await create("Local", {}), await create("Slow", { engine: "slow" })];
    let number = 0;
    let failed = 0;
    const next = (): string => `Invoice number ${(number += 1)}, total due 12.00`;

    const getRate = async (forSeconds: number): Promise<number> => {
      const begun = performance.now();
      let count = 0;
      const work = async (): Promise<void> => {
        while (performance.now() - begun < 1_000 * forSeconds) {
          const { status } = await local.post(next());
          if (status === 201) count += 1;
          else failed += 1;
        }
      };
      await Promise.all(Array.from({ length: callers.local }, work));
      return count / ((performance.now() - begun) / 1_000);
    };
    await getRate(seconds / 3);
    const before = await getRate(seconds);
    await slow.post(next());
    endpoint.behave(() => ({ kind: "hang" }));
    let ended = false;
    let refused = 0;
    const want = async (): Promise<void> => {
      while (!ended) {
        const { status, retryAfter } = await slow.post(next());
        if (status === 503) refused += 1;
        await sleep(1_000 * Number(retryAfter ?? 1) * (1 + Math.random()));
      }
    };
    const wanting = Array.from({ length: callers.engine }, want);
    const during = await getRate(seconds);
    ended = true;
    endpoint.behave(undefined);
    await Promise.all(wanting);
    const after = await getRate(seconds);
    local.close();
    slow.close();
    const ratio = during / ((before + after) / 2);
    console.log(
      `  local documents a second: ${before.toFixed(1)} before, ${during.toFixed(1)} while the endpoint hangs, ${after.toFixed(1)} after ` +
        `(ratio ${ratio.toFixed(2)}); ${failed} of them failed; ${refused} documents of the engine refused; load ${loadavg()[0]?.toFixed(1)}`,
    );
    return ratio >= aim && failed === 0;
  } finally {
    await system.close();
    await endpoint.close();
  }
}
