import type { SampleWorld } from "../specification/testing/sample-world.ts";

/** Returns the responses of the resources that random requests must not change, by their paths. */
export async function createSnapshot(world: SampleWorld): Promise<ReadonlyMap<string, string>> {
  const paths = [
    ...["/api/v1/me", `/api/v1/projects/${world.projectId}`],
    ...[world.invoices, world.deployment, world.firstSchema].map((id) => `/api/v1/deployments/${id}/configuration`),
    ...["", "/content", "/text"].map((part) => `/api/v1/files/${world.file}${part}`),
    `/api/v1/extractions/${world.extraction}`,
    `/api/v1/files/${world.file}/accepted-values?deploymentId=${world.invoices}`,
    `/api/v1/classify/${world.classifier}/routes`,
    `/api/v1/classify/${world.classifier}/classifications/${world.classification}`,
    ...["", "/metrics", "/files"].map((part) => `/api/v1/benchmarks/${world.execution}${part}`),
  ];
  const entries = [];
  for (const path of paths) {
    const { status, text } = await world.rest.get(path);
    entries.push([path, `${status} ${text.replace(/"lastUsedAt":[^,}]*/, "")}`] as const);
  }
  return new Map(entries);
}
