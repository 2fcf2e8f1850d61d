import { listReplacing, listWith, maxRoutes, findDuplicate, getRoutesProject } from "./route-list.ts";

const route = (id: string, targetKey = `mdl_${id}/`) => ({ id, targetKey });
const list = [route("1"), route("2"), route("3")];

describe("the routes of a classifier", () => {
  it("grow at their end, by targets that are not among them", () => {
    expect(listWith(list, route("4"))).toEqual({ kind: "routes", routes: [...list, route("4")] });
    expect(listWith(list, route("4", "mdl_2/"))).toEqual({ kind: "duplicate", existingRouteId: "2" });
    expect(listWith(list, route("4", "mdl_2/dep_1"))).toMatchObject({ kind: "routes" });
  });

  it("are 200 at most; a duplicate is one also then", () => {
    const full = Array.from({ length: maxRoutes }, (_, index) => route(String(index)));
    expect(listWith(full, route("x"))).toEqual({ kind: "full" });
    expect(listWith(full, route("x", "mdl_7/"))).toEqual({ kind: "duplicate", existingRouteId: "7" });
  });

  it("change in their place; a route is no duplicate of itself", () => {
    const changed = { ...route("2"), name: "new" };
    expect(listReplacing(list, changed)).toEqual({ kind: "routes", routes: [list[0], changed, list[2]] });
    expect(listReplacing(list, route("2", "mdl_3/"))).toEqual({ kind: "duplicate", existingRouteId: "3" });
  });

  it("tell the place of a duplicate", () => {
    expect(findDuplicate(list)).toBeUndefined();
    expect(findDuplicate([...list, route("4", "mdl_2/"), route("5", "mdl_1/")])).toBe(3);
  });

  it("lead into one project, several or none", () => {
    const into = (...ids: string[]) => getRoutesProject(ids.map((projectId) => ({ projectId })));
    expect(into()).toEqual({ kind: "none" });
    expect(into("prj_a", "prj_a")).toEqual({ kind: "one", projectId: "prj_a" });
    expect(into("prj_a", "prj_b")).toEqual({ kind: "several" });
  });
});
