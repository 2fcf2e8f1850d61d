import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { withIdentity } from "@switchyard/access";
import { AuditOutcome } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { AuditEntry } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { requestIdKey } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import type { TestDatabase } from "@switchyard/storage/testing";
import { auditModel } from "../store/audit-documents.ts";
import { as, getRefusal } from "../testing/test-service.ts";
import { useOrganization } from "../testing/organization-fixture.ts";

/** Tests the audit trail, on the given server. */
export function auditSuite(provide: () => Promise<TestDatabase>): void {
  const fixture = useOrganization(provide);
  const entries = async (): Promise<AuditEntry[]> =>
    (await fixture.service.identity.listAuditEntries({}, as(fixture.admin))).entries;

  it("has exactly one entry for each committed change", async () => {
    const teamId = fixture.first.team.id;
    const renames = ["A", "B", "A", "A"].map((name) =>
      fixture.service.identity.updateTeam({ teamId, name }, as(fixture.admin)),
    );
    await Promise.all(renames);
    await getRefusal(
      fixture.service.identity.updateTeam({ teamId, name: "C", projectIds: ["prj_none"] }, as(fixture.admin)),
    );
    const found = (await entries()).filter(({ action }) => action === "team.update").toReversed();
    // Every entry continues from the previous one: none is missing, and none is of a change that was rolled back.
    const steps = found.map(({ changes }) => changes?.["name"] as { from: string; to: string });
    const names = ["Everyone", ...steps.map(({ to }) => to)];
    expect(steps.map(({ from }) => from)).toEqual(names.slice(0, -1));
    const { teams } = await fixture.service.identity.listTeams({}, as(fixture.admin));
    expect(teams[0]?.name).toBe(names.at(-1));
  });

  it("has the entries of a range of times that begins or ends within a millisecond", async () => {
    await fixture.createProject();
    const [created] = (await entries()).filter(({ action }) => action === "project.create");
    const list = async (range: object) =>
      (await fixture.service.identity.listAuditEntries({ action: "project.create", ...range }, as(fixture.admin)))
        .entries;
    const { seconds, nanos } = timestampFromDate(fixture.time);
    const later = { seconds, nanos: nanos + 400_000 };
    expect([await list({ to: later }), await list({ from: later })]).toEqual([[created], []]);
  });

  it("has refusals that the gateway reports, with their request and without secrets", async () => {
    const { secret } = await fixture.createToken(["tokens:admin"]);
    const weak = await fixture.service.caller(secret);
    const refusal = {
      caller: weak,
      method: "ListUsers",
      targetId: `about ${secret}`,
      reason: "MISSING_PERMISSION",
      metadata: { permission: "organization:admin" },
    };
    const asItself = withIdentity({ service: "gateway", caller: undefined });
    await fixture.service.audit.recordRefusal(refusal, { contextValues: asItself.set(requestIdKey, "req-1") });
    const [entry] = await entries();
    expect(entry).toMatchObject({
      action: "users.list",
      outcome: AuditOutcome.REFUSED,
      tokenId: weak.tokenId,
      userId: fixture.first.user.id,
      targetId: "about [secret]",
      requestId: "req-1",
      changes: { reason: "MISSING_PERMISSION", permission: "organization:admin" },
    });
    expect(await getRefusal(fixture.service.audit.recordRefusal({}, { contextValues: asItself }))).toBe(
      "INVALID_REQUEST caller",
    );
    expect(await getRefusal(fixture.service.audit.recordRefusal(refusal, as(fixture.admin)))).toBe("SERVICE_ONLY");
  });

  it("has each change that another service reports once, with the reported values", async () => {
    const asService = { contextValues: withIdentity({ service: "classifier", caller: undefined }) };
    const { secret } = await fixture.createToken();
    const change = (id: string, targetId: string) => ({
      id,
      at: timestampFromDate(new Date("2026-03-04T05:00:00.001Z")),
      organizationId: fixture.admin.organizationId,
      tokenId: fixture.admin.tokenId,
      userId: fixture.admin.userId,
      requestId: "req-2",
      method: "CreateClassifier",
      targetId,
      changes: { name: `my ${secret}` },
    });
    const [one, other] = [change(newId("aud"), "clf_1"), change(newId("aud"), "clf_2")];
    await fixture.service.audit.recordChanges({ changes: [one] }, asService);
    await fixture.service.audit.recordChanges({ changes: [{ ...one, targetId: "clf_other" }, other] }, asService);
    const found = (await entries()).filter(({ action }) => action === "classifier.create");
    expect(found).toMatchObject([
      { id: other.id, targetId: "clf_2" },
      {
        id: one.id,
        at: one.at,
        targetId: "clf_1",
        outcome: AuditOutcome.DONE,
        tokenId: fixture.admin.tokenId,
        userId: fixture.admin.userId,
        requestId: "req-2",
        changes: { name: "my [secret]" },
      },
    ]);
    const wrong = { changes: [other, { ...one, id: "aud_1", at: undefined, userId: "" }] };
    expect(await getRefusal(fixture.service.audit.recordChanges(wrong, asService))).toBe(
      "INVALID_REQUEST changes[1].userId changes[1].id changes[1].at",
    );
    const many = { changes: Array.from({ length: 101 }, () => one) };
    expect(await getRefusal(fixture.service.audit.recordChanges(many, asService))).toBe("INVALID_REQUEST changes");
    expect(await getRefusal(fixture.service.audit.recordChanges({}, as(fixture.admin)))).toBe("SERVICE_ONLY");
  });

  it("has the first use of a token once, however many calls use it at the same time", async () => {
    const { id, secret } = await fixture.createToken();
    await Promise.all(Array.from({ length: 20 }, () => fixture.service.caller(secret)));
    fixture.advance(120_000);
    await fixture.service.caller(secret);
    const uses = (await entries()).filter(({ action }) => action === "token.firstUse");
    expect(uses.map(({ tokenId, targetId }) => [tokenId, targetId])).toEqual([
      [id, id],
      [fixture.first.tokenId, fixture.first.tokenId],
    ]);
    const [token] = (await fixture.service.identity.listTokens({}, as(fixture.admin))).tokens;
    expect(token?.lastUsedAt).toEqual(timestampFromDate(fixture.time));
  });

  it("has the changed fields of models and deployments, and no entry if nothing changed", async () => {
    const projectId = await fixture.createProject();
    const { configuration } = fixture.service;
    const tables = [{ slug: "t", isPrimary: true }];
    const model = await configuration.createModel(
      { projectId, name: "M", tables, columns: [{ slug: "a" }, { slug: "b" }] },
      as(fixture.admin),
    );
    const { id: targetId } = model;
    const deployment = await configuration.createDeployment({ targetId, name: "D" }, as(fixture.admin));
    const before = model.schemaId;
    const columns = [{ slug: "b", name: "Bee" }, { slug: "c" }];
    const { schemaId: after } = await configuration.updateConfiguration(
      { targetId, instructions: "x".repeat(600), columns },
      as(fixture.admin),
    );
    const promotion = { targetId: deployment.id, schemaId: after ?? "" };
    // The second round changes nothing.
    for (let round = 0; round < 2; round += 1) {
      await configuration.updateConfiguration({ targetId, columns }, as(fixture.admin));
      await configuration.updateModelOrDeployment({ targetId, name: "N" }, as(fixture.admin));
      await configuration.updateModelOrDeployment(promotion, as(fixture.admin));
      await configuration.pause({ targetId: before ?? "" }, as(fixture.admin));
    }
    await getRefusal(
      configuration.updateModelOrDeployment({ targetId: deployment.id, name: "x".repeat(121) }, as(fixture.admin)),
    );
    await getRefusal(configuration.deleteModelOrDeployment({ targetId }, as(fixture.admin)));
    await configuration.deleteModelOrDeployment({ targetId: deployment.id }, as(fixture.admin));
    const said = (await entries())
      .filter(({ targetId: about }) => about === targetId || about === deployment.id)
      .map(({ action, targetId: about, changes }) => [action, about, changes]);
    expect(said.toReversed()).toEqual([
      ["model.create", targetId, { name: "M", projectId, extractionSchemaId: before }],
      ["deployment.create", deployment.id, { name: "D", deploymentId: targetId, extractionSchemaId: before }],
      [
        "configuration.update",
        targetId,
        {
          extractionSchemaId: { from: before, to: after },
          version: { from: 1, to: 2 },
          instructions: { from: "", to: `${"x".repeat(500)}…` },
          columns: { added: ["t.c"], removed: ["t.a"], changed: ["t.b"] },
        },
      ],
      ["deployment.update", targetId, { name: { from: "M", to: "N" } }],
      ["deployment.update", deployment.id, { extractionSchemaId: { from: before, to: after } }],
      ["deployment.pause", targetId, { status: { from: "ACTIVE", to: "PAUSED" } }],
      ["deployment.delete", deployment.id, { name: "D", projectId }],
    ]);
  });

  it("does not change its entries through the mongoose model", async () => {
    await fixture.createProject();
    const trail = auditModel(fixture.service.storage.connection);
    const [entry] = await entries();
    await trail.updateOne({ _id: entry?.id ?? "" }, { $set: { action: "nothing" } });
    expect((await entries())[0]).toEqual(entry);
  });
}
