import { createCallLog, toCommand, toCurl } from "./call-log.ts";

describe("the calls behind a page", () => {
  it("keeps each call once, and forgets them when another page opens", () => {
    const log = createCallLog();
    let changes = 0;
    const unsubscribe = log.subscribe(() => (changes += 1));
    const call = { method: "GET", path: "/api/v1/me", body: undefined, form: undefined };
    log.add(call);
    log.add({ ...call });
    log.add({ ...call, path: "/api/v1/projects" });
    expect(log.list().map(({ path }) => path)).toEqual(["/api/v1/me", "/api/v1/projects"]);
    log.open("/values");
    unsubscribe();
    log.add(call);
    expect([changes, log.list().length]).toEqual([3, 1]);
  });

  it("keeps those that were made for a page before it opened", () => {
    const log = createCallLog();
    const call = { method: "GET", path: "/api/v1/values", body: undefined, form: undefined };
    log.ahead("/models").add({ ...call, path: "/api/v1/models" });
    const sink = log.ahead("/values");
    sink.add(call);
    // The link of the page got the focus after the pointer, and had nothing to request any more.
    log.ahead("/values");
    expect(log.list()).toEqual([]);
    log.open("/values");
    sink.add({ ...call, path: "/api/v1/later" });
    expect(log.list().map(({ path }) => path)).toEqual(["/api/v1/values", "/api/v1/later"]);
    log.open("/models");
    expect(log.list()).toEqual([]);
  });

  it("writes them for a shell, whatever their bodies contain", () => {
    const call = { method: "POST", path: "/api/v1/classify?a=b&c=d", body: `{"name":"it's $(rm)"}`, form: undefined };
    expect(toCurl("http://127.0.0.1:8080", call)).toBe(
      `curl -X POST -H "Authorization: Bearer $SWITCHYARD_TOKEN" -H 'Content-Type: application/json' ` +
        `-d '{"name":"it'\\''s $(rm)"}' 'http://127.0.0.1:8080/api/v1/classify?a=b&c=d'`,
    );
    expect(toCommand("http://h", call)).toBe(
      `switchyard api POST '/api/v1/classify?a=b&c=d' --data '{"name":"it'\\''s $(rm)"}'`,
    );
    expect(toCommand("http://h", { ...call, method: "GET", path: "/healthz", body: undefined })).toBe(
      "switchyard api GET http://h/healthz",
    );
  });

  it("writes forms with their fields", () => {
    const form = ["explain=true", "externalId=it's $(rm)", "file=@FILE"];
    const call = { method: "POST", path: "/api/v1/f", body: undefined, form };
    expect(toCurl("http://h", call)).toBe(
      `curl -X POST -H "Authorization: Bearer $SWITCHYARD_TOKEN" -F explain=true -F 'externalId=it'\\''s $(rm)' ` +
        "-F file=@FILE http://h/api/v1/f",
    );
    expect(toCommand("http://h", call)).toBe(
      `switchyard api POST /api/v1/f --form explain=true --form 'externalId=it'\\''s $(rm)' --form file=@FILE`,
    );
  });
});
