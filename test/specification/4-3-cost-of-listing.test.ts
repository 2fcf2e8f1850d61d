import { createClient } from "@connectrpc/connect";
import type { Interceptor } from "@connectrpc/connect";
import {
  createIdentityKeys,
  createPageTokenKey,
  createTokenPepper,
  identitySigner,
  identityVerifier,
  withIdentity,
} from "@switchyard/access";
import { createClassifierService } from "@switchyard/classifier";
import { insertClassifiers } from "@switchyard/classifier/testing";
import type { BulkTarget } from "@switchyard/classifier/testing";
import { bootstrapOrganization, createConfigurationService } from "@switchyard/configuration";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ConfigurationService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { IdentityLookupService, IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { createDirectTransport, createLogger } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import { connectStorage } from "@switchyard/storage";
import { startTestDatabase } from "@switchyard/storage/testing";

const secret = new Uint8Array(32).fill(7);
const keys = createIdentityKeys(secret);
const logger = createLogger({ name: "test", level: "silent" });

/** The configuration and classifier services on one database, with a count of the calls and queries that they make. */
async function startCounted() {
  const database = await startTestDatabase();
  const [ofConfiguration, ofClassifier] = await Promise.all(
    ["switchyard_configuration", "switchyard_classifier"].map((name) =>
      connectStorage({ uri: database.uri, database: name }),
    ) as [ReturnType<typeof connectStorage>, ReturnType<typeof connectStorage>],
  );
  const counted = { calls: [] as string[], queries: [] as string[] };
  const countCalls: Interceptor = (next) => (request) => {
    counted.calls.push(request.method.name);
    return next(request);
  };
  const reach = (service: string, audience: string, services: ServiceRegistration[], more: Interceptor[] = []) =>
    createDirectTransport({
      services,
      serverInterceptors: [identityVerifier({ audience, keys })],
      interceptors: [...more, identitySigner({ service, audience, keys })],
    });
  const pageTokenSecret = createPageTokenKey(secret, "test");
  const tokenPepper = createTokenPepper(secret);
  const configuration = createConfigurationService({ storage: ofConfiguration, tokenPepper, pageTokenSecret, logger });
  const classifier = createClassifierService({
    storage: ofClassifier,
    configuration: reach("classifier", "configuration", configuration.registrations, [countCalls]),
    // Listing reads no document.
    extraction: reach("classifier", "extraction", []),
    pageTokenSecret,
    logger,
  });
  for (const storage of [ofConfiguration, ofClassifier]) {
    await storage.ready();
    storage.connection.set("debug", (collection: string, command: string) => {
      counted.queries.push(`${collection}.${command}`);
    });
  }
  const gateway = reach("gateway", "configuration", configuration.registrations);
  const names = { organizationName: "Acme", userName: "Ada", tokenName: "Everything" };
  const first = await bootstrapOrganization({ storage: ofConfiguration, tokenPepper }, names);
  const callerNow = (): Promise<Caller> =>
    createClient(IdentityLookupService, gateway).verifyToken({ secret: first.secret });
  return {
    counted,
    uri: database.uri,
    callerNow,
    identity: createClient(IdentityService, gateway),
    models: createClient(ConfigurationService, gateway),
    classifiers: createClient(ClassifierService, reach("gateway", "classifier", classifier.registrations)),
    async close() {
      await ofConfiguration.close();
      await ofClassifier.close();
      await database.close();
    },
  };
}

describe("4.3 listing 2,000 classifiers with 10 routes each", () => {
  let system: Awaited<ReturnType<typeof startCounted>>;
  const filled: { projectId: string; count: number }[] = [];

  beforeAll(async () => {
    system = await startCounted();
    for (const count of [20, 2_000]) {
      const as = async () => ({
        contextValues: withIdentity({ service: "gateway", caller: await system.callerNow() }),
      });
      const { id: projectId } = await system.identity.createProject({ name: `${count}` }, await as());
      const targets: BulkTarget[] = [];
      for (let each = 0; each < 10; each += 1) {
        const content = { tables: [{ slug: "t", isPrimary: true }], columns: [{ slug: "a" }] };
        const model = await system.models.createModel({ projectId, name: `Model ${each}`, ...content }, await as());
        targets.push({ modelId: model.id, projectId });
      }
      const { organizationId } = await system.callerNow();
      const kinds = [projectId, null].map((owner) => ({ organizationId, projectId: owner, targets }));
      await insertClassifiers(system.uri, kinds, count);
      filled.push({ projectId, count });
    }
  }, 120_000);
  afterAll(() => system?.close());

  it.each([
    ["whole", undefined],
    ["by a page of 20", 20],
  ])(
    "%s, makes two calls and as many queries as listing 20",
    async (_name, limit) => {
      const costs = [];
      for (const { projectId, count } of filled) {
        const contextValues = withIdentity({ service: "gateway", caller: await system.callerNow() });
        Object.assign(system.counted, { calls: [], queries: [] });
        const request = { projectId, ...(limit === undefined ? {} : { limit }) };
        const { classifiers } = await system.classifiers.listClassifiers(request, { contextValues });
        const { calls, queries } = system.counted;
        expect(classifiers).toHaveLength(limit ?? count);
        expect(classifiers.every(({ routes }) => routes.length === 10 && routes[0]?.model?.name === "Model 0")).toBe(
          true,
        );
        expect(calls.toSorted()).toEqual(["ResolveProjects", "ResolveTargets"]);
        costs.push(queries.toSorted());
      }
      const [few = [], many] = costs;
      expect(many).toEqual(few);
      expect(few.filter((query) => query === "classifiers.find")).toHaveLength(1);
      expect(few.length).toBeLessThanOrEqual(9);
    },
    60_000,
  );
});
