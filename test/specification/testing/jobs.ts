import type { Rest } from "../../rest.ts";
import { getBody } from "./office.ts";

/** Waits until a job has ended, and returns it. */
export async function finishedJob(rest: Rest, jobId: string, timeoutMs = 180_000): Promise<any> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
    const body = await getBody(rest.get(`/api/v1/jobs/${jobId}`), 200);
    if (body.status !== "RUNNING") return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the job ${jobId} stays RUNNING`);
}
