import { replaceRoute, appendRoute, maxRoutes, findDuplicateIndex, findCommonProject } from "./route-list.ts";

const route = (id: string, targetKey = `mdl_${id}/`) => ({ id, targetKey });
const list = [route("1"), route("2"), route("3")];

describe("the routes of a classifier", () => {
  it("are appended, unless the target is in the list", () => {
    expect(appendRoute(list, route("4"))).toEqual({ kind: "routes", routes: [...list, route("4")] });
    expect(appendRoute(list, route("4", "mdl_2/"))).toEqual({ kind: "duplicate", existingRouteId: "2" });
    expect(appendRoute(list, route("4", "mdl_2/dep_1"))).toMatchObject({ kind: "routes" });
  });

  it("are limited to 200, and a duplicate is reported first", () => {
    const full = Array.from({ length: maxRoutes }, (_, index) => route(String(index)));
    expect(appendRoute(full, route("x"))).toEqual({ kind: "full" });
    expect(appendRoute(full, route("x", "mdl_7/"))).toEqual({ kind: "duplicate", existingRouteId: "7" });
  });

  it("are replaced in place, and are not duplicates of themselves", () => {
    const changed = { ...route("2"), name: "new" };
    expect(replaceRoute(list, changed)).toEqual({ kind: "routes", routes: [list[0], changed, list[2]] });
    expect(replaceRoute(list, route("2", "mdl_3/"))).toEqual({ kind: "duplicate", existingRouteId: "3" });
  });

  it("are searched for the first duplicate", () => {
    expect(findDuplicateIndex(list)).toBeUndefined();
    expect(findDuplicateIndex([...list, route("4", "mdl_2/"), route("5", "mdl_1/")])).toBe(3);
  });

  it("have one common project, several or none", () => {
    const into = (...ids: string[]) => findCommonProject(ids.map((projectId) => ({ projectId })));
    expect(into()).toEqual({ kind: "none" });
    expect(into("prj_a", "prj_a")).toEqual({ kind: "one", projectId: "prj_a" });
    expect(into("prj_a", "prj_b")).toEqual({ kind: "several" });
  });
});
