import type { Team } from "@switchyard/client";
import { planGrants } from "./grants.ts";

describe("granting a project to teams", () => {
  it("changes only the teams that gain or lose it", () => {
    const team = (id: string, projectIds: string[]): Team => ({
      ...{ id, projectIds, name: id, userIds: [], createdAt: null, updatedAt: null },
    });
    const teams = [team("keeps", ["p"]), team("loses", ["p", "q"]), team("gains", ["q"]), team("never", [])];
    expect(planGrants(teams, "p", ["keeps", "gains"])).toEqual([
      { teamId: "loses", projectIds: ["q"] },
      { teamId: "gains", projectIds: ["q", "p"] },
    ]);
  });
});
