import { create, type DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { createClient, createContextValues, type CallOptions } from "@connectrpc/connect";
import { withIdentity } from "@switchyard/access";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { AuditService } from "@switchyard/contracts/switchyard/identity/internal/v1/audit";
import { CallerSchema } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import {
  createDirectTransport,
  createLogger,
  getProblemFacts,
  forbidden,
  notFound,
  register,
  requestIdKey,
} from "@switchyard/rpc";
import { Writable } from "node:stream";
import { createConfigurationCalls } from "./configuration-calls.ts";
import { withCurrentCaller } from "./current-caller.ts";
import { publicServices } from "../public-services.ts";
import { isAdministrative, withRecordedRefusals, type Refusal } from "./refusals.ts";

const caller = create(CallerSchema, { tokenId: "tok_1", userId: "usr_1", organizationId: "org_1" });
const outOfReach = () => forbidden("PROJECT_OUT_OF_REACH", "Not in reach.", { projectId: "prj_1" });

/** A service that rejects calls with the given error, behind the recording of refusals. `order` contains the events in their order. */
function setUp() {
  const refusals: Refusal[] = [];
  const order: string[] = [];
  const state = { projectIds: [] as string[], error: outOfReach() as Error };
  const transport = createDirectTransport({
    services: [
      register(IdentityService, {
        createProject: () => Promise.reject(state.error),
        updateProject() {
          order.push("called");
          throw state.error;
        },
        getProject: () => Promise.reject(state.error),
        createToken: () => Promise.reject(state.error),
        revokeToken: () => Promise.reject(state.error),
      } as never),
      register(ClassifierService, { classify: () => Promise.reject(state.error) } as never),
      register(ExtractionService, {
        async uploadFile(requests: AsyncIterable<unknown>) {
          for await (const _request of requests) throw state.error;
          return {};
        },
      } as never),
    ],
    serverInterceptors: [],
  });
  const look = () => Promise.resolve(create(CallerSchema, { ...caller, projectIds: state.projectIds }));
  const verifier = { verify: look, refresh: look, forget: () => undefined };
  const recorded = withRecordedRefusals(withCurrentCaller(transport, verifier), async (refusal) => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    refusals.push(refusal);
    order.push("recorded");
  });
  const options = (): CallOptions => ({
    contextValues: withIdentity({ service: "gateway", caller }, createContextValues().set(requestIdKey, "req-1")),
  });
  const getCode = (call: Promise<unknown>) =>
    call.then(
      () => "done",
      (error: unknown) => {
        order.push("answered");
        return getProblemFacts(error).reason;
      },
    );
  return {
    ...{ refusals, order, state, options, getCode },
    identity: createClient(IdentityService, recorded),
    classifier: createClient(ClassifierService, recorded),
    extraction: createClient(ExtractionService, recorded),
  };
}

describe("isAdministrative", () => {
  it("is true for methods that change something, except classification, and for reads that require an administrator", () => {
    const methods = publicServices.flatMap(({ service }) => service.methods);
    const reading = ({ idempotency }: DescMethod) => idempotency === IdempotencyLevel.NO_SIDE_EFFECTS;
    const names = (chosen: (method: DescMethod) => boolean) => methods.filter(chosen).map(({ name }) => name);
    expect(names((method) => isAdministrative(method) && reading(method)).sort()).toEqual([
      "ListAuditEntries",
      "ListTeams",
      "ListTokens",
      "ListUsers",
    ]);
    const others = names((method) => !isAdministrative(method) && !reading(method));
    expect(others).toContain("Classify");
    expect(others.filter((name) => !/classify$/i.test(name))).toEqual([]);
  });
});

describe("withRecordedRefusals", () => {
  it("records the caller, the target and the reason before it returns the error", async () => {
    const { identity, refusals, order, options, getCode } = setUp();
    expect(await getCode(identity.updateProject({ projectId: "prj_1" }, options()))).toBe("PROJECT_OUT_OF_REACH");
    expect(order).toEqual(["called", "recorded", "answered"]);
    expect(refusals).toEqual([
      {
        caller,
        requestId: "req-1",
        method: "UpdateProject",
        targetId: "prj_1",
        reason: "PROJECT_OUT_OF_REACH",
        metadata: { projectId: "prj_1" },
      },
    ]);
  });

  it("records a refusal only after the call was repeated for the current caller", async () => {
    const { identity, refusals, order, state, options, getCode } = setUp();
    state.projectIds = ["prj_1"];
    await getCode(identity.updateProject({ projectId: "prj_1" }, options()));
    expect(order).toEqual(["called", "called", "recorded", "answered"]);
    expect(refusals[0]?.caller.projectIds).toEqual(["prj_1"]);
  });

  it("records the target of the path, or otherwise the project, or nothing", async () => {
    const { identity, extraction, refusals, options, getCode } = setUp();
    await getCode(identity.revokeToken({ tokenId: "tok_2" }, options()));
    await getCode(identity.createToken({ projectId: "prj_2" }, options()));
    await getCode(identity.createProject({ name: "x" }, options()));
    async function* parts() {
      yield* [{ projectId: "prj_3", filename: "a.txt" }, { data: new Uint8Array(1) }];
      await Promise.resolve();
    }
    await getCode(extraction.uploadFile(parts(), options()));
    expect(refusals.map(({ method, targetId }) => [method, targetId])).toEqual([
      ["RevokeToken", "tok_2"],
      ["CreateToken", "prj_2"],
      ["CreateProject", ""],
      ["UploadFile", "prj_3"],
    ]);
  });

  it("does not record other errors, or refusals of other methods", async () => {
    const { identity, classifier, refusals, state, options, getCode } = setUp();
    await getCode(identity.getProject({ projectId: "prj_1" }, options()));
    await getCode(classifier.classify({ classifierId: "clf_1" }, options()));
    state.error = notFound("project", "prj_1");
    expect(await getCode(identity.updateProject({ projectId: "prj_1" }, options()))).toBe("PROJECT_NOT_FOUND");
    expect(refusals).toEqual([]);
  });
});

describe("recordRefusal", () => {
  it("logs a refusal that cannot be recorded, and does not reject", async () => {
    const lines: string[] = [];
    const destination = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    const noRoom = () => Promise.reject(new Error("no room"));
    const services = [register(AuditService, { recordRefusal: noRoom, recordChanges: noRoom })];
    const transport = createDirectTransport({ services, serverInterceptors: [] });
    const { recordRefusal } = createConfigurationCalls(
      transport,
      createLogger({ name: "test", level: "info", destination }),
    );
    const refusal = { caller, requestId: "req-1", method: "CreateToken", targetId: "", reason: "NO", metadata: {} };
    await recordRefusal(refusal);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { requestId: "req-1", method: "CreateToken", tokenId: "tok_1", reason: "NO" },
    ]);
  });
});
