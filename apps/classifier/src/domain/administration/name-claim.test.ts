import fc from "fast-check";
import { addHolder, isUnclaimed, removeHolder, unclaimed } from "./name-claim.ts";
import type { NameClaim } from "./name-claim.ts";

const holders = fc.record({
  classifierId: fc.constantFrom("clf_1", "clf_2", "clf_3", "clf_4"),
  projectId: fc.option(fc.constantFrom("prj_a", "prj_b"), { nil: null }),
});
const steps = fc.array(fc.record({ holder: holders, release: fc.boolean() }), { maxLength: 12 });

describe("the claim of a name", () => {
  it("is held by one global classifier or by one classifier per project after any steps", () => {
    fc.assert(
      fc.property(steps, (taken) => {
        let claim: NameClaim = unclaimed;
        for (const { holder, release } of taken) {
          claim = release ? removeHolder(claim, holder.classifierId) : (addHolder(claim, holder) ?? claim);
          const projects = claim.projects.map(({ projectId }) => projectId);
          expect(new Set(projects).size).toBe(projects.length);
          expect(claim.globalClassifierId !== null && projects.length > 0).toBe(false);
        }
        for (const { holder } of taken) claim = removeHolder(claim, holder.classifierId);
        expect(isUnclaimed(claim)).toBe(true);
      }),
    );
  });

  it("can be held in several projects, but not beside a global classifier", () => {
    const own = addHolder(unclaimed, { classifierId: "clf_1", projectId: "prj_a" }) as NameClaim;
    expect(addHolder(own, { classifierId: "clf_2", projectId: "prj_a" })).toBeUndefined();
    expect(addHolder(own, { classifierId: "clf_2", projectId: null })).toBeUndefined();
    expect(addHolder(own, { classifierId: "clf_2", projectId: "prj_b" })?.projects).toHaveLength(2);
    const global = addHolder(removeHolder(own, "clf_1"), { classifierId: "clf_1", projectId: null }) as NameClaim;
    expect(global).toEqual({ globalClassifierId: "clf_1", projects: [] });
    expect(addHolder(global, { classifierId: "clf_2", projectId: "prj_b" })).toBeUndefined();
  });
});
