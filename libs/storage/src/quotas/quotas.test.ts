import { createQuotaLookup, defaultQuotas, requireQuota } from "./quotas.ts";

describe("requireQuota", () => {
  it("ignores quotas of which nothing is added, even if more is used", () => {
    const quotas = { models: 1, schemaVersions: 5 };
    const used = { models: 3, schemaVersions: 5 };
    requireQuota(quotas, used, { schemaVersions: 1 });
    requireQuota(quotas, used, { models: -1 });
    expect(() => requireQuota(quotas, used, { models: 1 })).toThrow("at most 1 models, and has 2");
  });
});

describe("a quota lookup", () => {
  it("keeps quotas for five seconds, and the last known ones while they cannot be loaded", async () => {
    let [now, models, fails, loads] = [0, 1, false, 0];
    const lookup = createQuotaLookup(
      async () => {
        loads += 1;
        if (fails) throw new Error("the configuration service is gone");
        return { ...defaultQuotas, models };
      },
      () => now,
    );
    expect((await lookup.get("org_1")).models).toBe(1);
    models = 2;
    now = 4_999;
    expect((await lookup.get("org_1")).models).toBe(1);
    expect(loads).toBe(1);
    now = 5_000;
    expect((await lookup.get("org_1")).models).toBe(2);
    fails = true;
    now = 20_000;
    expect((await lookup.get("org_1")).models).toBe(2);
    await expect(lookup.get("org_2")).rejects.toThrow("gone");
  });
});
