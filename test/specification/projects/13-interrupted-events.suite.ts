import { eventually } from "@switchyard/storage/testing";
import { getBody, givenOffice, refusal } from "../testing/office.ts";
import type { GivenSystem } from "../testing/office.ts";
import { listen, timeoutMs } from "../testing/project-events.ts";

/** How the events of a project end when a service stops (API 13); in separate processes. */
export function interruptedEventsSuite(where: GivenSystem): void {
  const given = givenOffice(where);

  it.each(["classifier", "extraction"])(
    "end with an error when the %s service stops, and can be opened again",
    async (name) => {
      const { system, rest, office } = given;
      const events = await listen(system.url, system.token, office.projectId);
      const restart = await system.stop(name, name === "classifier" ? "SIGTERM" : "SIGKILL");
      await events.ended();
      expect(events.text()).toContain('"code":"EVENTS_INTERRUPTED"');
      expect(await refusal(rest.get(`/api/v1/projects/${office.projectId}/events`))).toBe("503 EVENTS_INTERRUPTED");
      await restart();
      let again: Awaited<ReturnType<typeof listen>> | undefined;
      for (const deadline = Date.now() + timeoutMs; again === undefined;) {
        again = await listen(system.url, system.token, office.projectId).catch(() => undefined);
        if (Date.now() > deadline) throw new Error("the stream could not be opened again");
      }
      const path = `/api/v1/classify/${office.classifier}/classifications`;
      // The gateway may still have to notice that its connection has ended, hence the key and the retries.
      const body = JSON.stringify({ text: " " });
      const headers = { "content-type": "application/json", "idempotency-key": `restarted ${name}` };
      const record = await eventually("a record", async () => {
        const response = await rest.send(path, { method: "POST", headers, body });
        return response.status === 503 ? undefined : getBody(Promise.resolve(response), 201);
      });
      await again.event("CLASSIFICATION", record.id, "UNCLASSIFIED");
      await again.close();
    },
  );
}
