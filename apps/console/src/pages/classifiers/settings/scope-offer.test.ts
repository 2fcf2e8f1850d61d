import { findScopeOffer } from "./scope-offer.ts";

const p = { id: "p", name: "Payables" };
const q = { id: "q", name: "Real estate" };

describe("the change of scope that is offered", () => {
  it.each([
    [false, [p], true, "makeGlobal", undefined],
    [false, [p], false, "makeGlobal", { code: "NO_PERMISSION" }],
    [true, [p], true, "makeProjectScoped", undefined],
    [true, [], true, "makeProjectScoped", { code: "NO_ROUTES" }],
    [true, [p, q], true, "makeProjectScoped", { code: "SPANS_PROJECTS", projects: "Payables, Real estate" }],
    [true, [q], true, "makeProjectScoped", { code: "OUT_OF_REACH", project: "Real estate" }],
    [true, [q], false, "makeProjectScoped", { code: "NO_PERMISSION" }],
  ])("global: %s, projects %j, permission: %s", (isGlobal, routeProjects, mayChangeScope, action, refusal) => {
    expect(findScopeOffer({ isGlobal, routeProjects }, mayChangeScope, ["p"])).toEqual({ action, refusal });
  });
});
