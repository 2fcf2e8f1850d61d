import { change } from "./parameters.ts";

describe("the parameters of an address", () => {
  it("are replaced one by one, and removed if they are empty", () => {
    const parameters = new URLSearchParams("status=ACCEPTED&rule=a&rule=b&search=x");
    expect(change(parameters, { status: "", rule: ["c", "d"] }).toString()).toBe("search=x&rule=c&rule=d");
    expect(parameters.get("status")).toBe("ACCEPTED");
  });
});
