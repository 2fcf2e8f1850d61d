import { toLocalUrl } from "./local-url.ts";

describe("toLocalUrl", () => {
  it.each([
    ["http://0.0.0.0:8080", "http://127.0.0.1:8080"],
    ["http://[::]:8080", "http://[::1]:8080"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://10.0.0.0:8080", "http://10.0.0.0:8080"],
  ])("opens %s at %s", (url, local) => {
    expect(toLocalUrl(url)).toBe(local);
  });
});
