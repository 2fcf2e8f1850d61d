import type { Rest } from "../../rest.ts";
import type { Where } from "../testing/office.ts";
import {
  created,
  everything,
  expectProblem,
  givenIdentity,
  remove,
  tokenKeys,
  untilStatus,
} from "./testing/identity-fixture.ts";

/** Section 7 of the API: rotating tokens over REST. */
export function tokenRotationSuite(where: Where): void {
  const given = givenIdentity(where);
  const { createOrganizationToken, getRest } = given;
  let admin: Rest;
  beforeAll(() => ({ admin } = given));

  it("keep their identity through a rotation, with the old secret for the grace period", async () => {
    const token = await createOrganizationToken(["documents:read"]);
    const begun = Date.now();
    const rotated = await admin.post(`/api/v1/tokens/${token.id}:rotate`, { graceSeconds: 4 });
    expect(rotated.status).toBe(201);
    expect(Object.keys(rotated.body)).toEqual([...tokenKeys, "secret"]);
    expect(rotated.body).toMatchObject({ id: token.id, prefix: rotated.body.secret.slice(0, 8) });
    expect(rotated.body.secret).not.toBe(token.secret);
    for (const { secret } of [token, rotated.body]) {
      expect((await getRest({ secret }).get("/api/v1/me")).body.token.id).toBe(token.id);
    }
    await untilStatus(() => getRest(token).get("/api/v1/me"), 401);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(4_000);
    expect((await getRest(rotated.body).get("/api/v1/me")).status).toBe(200);
    const at = `/api/v1/tokens/${token.id}:rotate`;
    expectProblem(await admin.post(at), 400, "INVALID_REQUEST", "graceSeconds");
    expectProblem(await admin.post(at, { graceSeconds: -1 }), 400, "INVALID_REQUEST", "graceSeconds");
    await remove(admin, `/api/v1/tokens/${token.id}`);
    expectProblem(await admin.post(at, { graceSeconds: 0 }), 409, "TOKEN_NOT_ACTIVE");
  });

  it("serve every request with either secret during the overlap of a rotation", async () => {
    let token = await createOrganizationToken(["documents:read"]);
    for (let round = 0; round < 3; round += 1) {
      const secrets = [token];
      const refused: number[] = [];
      let responseCount = 0;
      let rotated = false;
      // Eight clients send requests without pause before, during and after the rotation, with each secret in turn.
      const clients = Array.from({ length: 8 }, async () => {
        for (let request = 0, late = 0; late < 10; request += 1, late += rotated ? 1 : 0) {
          const { status } = await getRest(secrets[request % secrets.length]).get("/api/v1/me");
          if (status !== 200) refused.push(status);
          responseCount += 1;
        }
      });
      token = await created(admin.post(`/api/v1/tokens/${token.id}:rotate`, { graceSeconds: 60 }));
      secrets.push(token);
      rotated = true;
      await Promise.all(clients);
      expect(refused).toEqual([]);
      expect(responseCount).toBeGreaterThanOrEqual(80);
    }
  });

  it("are rotated only by callers who could issue them, and by themselves", async () => {
    const strong = await createOrganizationToken(everything);
    const weak = await createOrganizationToken(["tokens:admin"]);
    const rest = getRest(weak);
    const response = await rest.post(`/api/v1/tokens/${strong.id}:rotate`, { graceSeconds: 0 });
    expectProblem(response, 403, "PERMISSION_NOT_HELD");
    expect((await getRest(strong).get("/api/v1/me")).status).toBe(200);
    expect((await rest.post(`/api/v1/tokens/${weak.id}:rotate`, { graceSeconds: 60 })).status).toBe(201);
  });

  it("of other users are rotated by administrators of the organization only", async () => {
    const ada = await created(admin.post("/api/v1/users", { name: "Ada" }));
    const project = await given.createProject("Shared with Ada");
    const fields = {
      name: "Ada's",
      scope: "PROJECT",
      projectId: project.id,
      permissions: ["tokens:admin", "classify"],
    };
    const [hers, another] = [
      await created(admin.post("/api/v1/tokens", { ...fields, userId: ada.id })),
      await created(admin.post("/api/v1/tokens", { ...fields, userId: ada.id })),
    ];
    const rotate = (rest: Rest, { id }: any) => rest.post(`/api/v1/tokens/${id}:rotate`, { graceSeconds: 0 });
    // These tokens belong to another user, and have every right that Ada's have.
    const ofProject = await given.createProjectToken(project.id, ["tokens:admin", "classify"]);
    const ofOrganization = await createOrganizationToken(everything.filter((name) => name !== "organization:admin"));
    for (const token of [ofProject, ofOrganization]) {
      expectProblem(await rotate(getRest(token), hers), 403, "USER_OUT_OF_REACH");
    }
    expect((await getRest(hers).get("/api/v1/me")).body.user.name).toBe("Ada");
    expect((await rotate(getRest(another), hers)).status).toBe(201);
    expect((await rotate(getRest(another), another)).status).toBe(201);
    const admins = await given.createProjectToken(project.id, ["classify"]);
    expect((await rotate(getRest(ofProject), admins)).status).toBe(201);
    const rotated = await created(rotate(admin, hers));
    expect(rotated.userId).toBe(ada.id);
    expect((await getRest(rotated).get("/api/v1/me")).body.user.name).toBe("Ada");
  });
}
