import fc from "fast-check";
import { claimedBy, isUnclaimed, releasedBy, unclaimed } from "./name-claim.ts";
import type { NameClaim } from "./name-claim.ts";

const holders = fc.record({
  classifierId: fc.constantFrom("clf_1", "clf_2", "clf_3", "clf_4"),
  projectId: fc.option(fc.constantFrom("prj_a", "prj_b"), { nil: null }),
});
const steps = fc.array(fc.record({ holder: holders, release: fc.boolean() }), { maxLength: 12 });

describe("the claim of a name", () => {
  it("is held by one global classifier alone, or once in each project, whatever happens", () => {
    fc.assert(
      fc.property(steps, (taken) => {
        let claim: NameClaim = unclaimed;
        for (const { holder, release } of taken) {
          claim = release ? releasedBy(claim, holder.classifierId) : (claimedBy(claim, holder) ?? claim);
          const projects = claim.projects.map(({ projectId }) => projectId);
          expect(new Set(projects).size).toBe(projects.length);
          expect(claim.globalClassifierId !== null && projects.length > 0).toBe(false);
        }
        for (const { holder } of taken) claim = releasedBy(claim, holder.classifierId);
        expect(isUnclaimed(claim)).toBe(true);
      }),
    );
  });

  it("is free in another project, and for nobody beside a global classifier", () => {
    const own = claimedBy(unclaimed, { classifierId: "clf_1", projectId: "prj_a" }) as NameClaim;
    expect(claimedBy(own, { classifierId: "clf_2", projectId: "prj_a" })).toBeUndefined();
    expect(claimedBy(own, { classifierId: "clf_2", projectId: null })).toBeUndefined();
    expect(claimedBy(own, { classifierId: "clf_2", projectId: "prj_b" })?.projects).toHaveLength(2);
    const global = claimedBy(releasedBy(own, "clf_1"), { classifierId: "clf_1", projectId: null }) as NameClaim;
    expect(global).toEqual({ globalClassifierId: "clf_1", projects: [] });
    expect(claimedBy(global, { classifierId: "clf_2", projectId: "prj_b" })).toBeUndefined();
  });
});
