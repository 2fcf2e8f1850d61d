import { formatAddress, parseTarget } from "./target.ts";

describe("parseTarget", () => {
  it.each([
    ["extraction:8192", { name: "extraction", port: 8192 }],
    ["my_service.internal:1", { name: "my_service.internal", port: 1 }],
    ["dns:53", { name: "dns", port: 53 }],
    ["dns:extraction:8192", { name: "extraction", port: 8192 }],
    ["dns:///extraction:8192", { name: "extraction", port: 8192 }],
    ["dns:///127.0.0.1:8192", { addresses: [{ host: "127.0.0.1", port: 8192 }] }],
    ["127.0.0.1:65535", { addresses: [{ host: "127.0.0.1", port: 65_535 }] }],
    ["[::1]:8192", { addresses: [{ host: "::1", port: 8192 }] }],
    ["ipv4:10.0.0.1:1", { addresses: [{ host: "10.0.0.1", port: 1 }] }],
    [
      "ipv4:10.0.0.1:1,10.0.0.2:2",
      {
        addresses: [
          { host: "10.0.0.1", port: 1 },
          { host: "10.0.0.2", port: 2 },
        ],
      },
    ],
    ["ipv6:[fe80::1]:1", { addresses: [{ host: "fe80::1", port: 1 }] }],
  ])("parses %s", (text, target) => {
    expect(parseTarget(text)).toEqual(target);
  });

  it.each([
    ...["", "extraction", "extraction:", ":8192", "a b:1", "a:0", "a:65536", "a:b:1", "::1:80", "[::1]", "[a]:1"],
    ...["ipv4:", "ipv4:extraction:1", "ipv4:10.0.0.1", "ipv4:10.0.0.1:1,", "ipv4:[::1]:1", "ipv6:10.0.0.1:1"],
    ...["unix:/tmp/socket", "http://a:1", "dns://8.8.8.8/a:1", "a/b:1", "a:1,b:1"],
  ])("refuses %j", (text) => {
    expect(() => parseTarget(text)).toThrow(TypeError);
  });
});

describe("formatAddress", () => {
  it("writes brackets around IPv6 addresses", () => {
    expect(formatAddress({ host: "10.0.0.1", port: 1 })).toBe("10.0.0.1:1");
    expect(formatAddress({ host: "::1", port: 2 })).toBe("[::1]:2");
  });
});
