import { spawnSync } from "node:child_process";

const program = `
  import { closeSync, openSync } from "node:fs";
  import { openEndpoint } from ${JSON.stringify(import.meta.resolve("./endpoint.ts"))};
  import { engineDefinition } from ${JSON.stringify(import.meta.resolve("../testing/definition.ts"))};

  // Nothing listens on this port, so a request that is sent fails as ENGINE_UNREACHABLE.
  const { complete } = openEndpoint(engineDefinition("http://127.0.0.1:1/v1"));
  const ask = () => complete({ model: "test-model", messages: [] }, new AbortController().signal).catch(({ code }) => code);
  const files = [];
  try {
    while (true) files.push(openSync("/dev/null"));
  } catch {
    const whileFull = await ask();
    for (const file of files) closeSync(file);
    console.log(JSON.stringify([whileFull, await ask()]));
  }
`;

describe("an endpoint", () => {
  it.skipIf(process.platform === "win32")("loads the SDK again if it could not be loaded for the first request", () => {
    const command = ["-c", 'ulimit -n 200; exec "$@"', "sh", process.execPath, "--input-type=module", "-e", program];
    const { stdout, stderr } = spawnSync("sh", command, { encoding: "utf8" });
    expect(stderr).toBe("");
    const [whileFull, afterwards] = JSON.parse(stdout) as string[];
    expect(whileFull).not.toBe("ENGINE_UNREACHABLE");
    expect(afterwards).toBe("ENGINE_UNREACHABLE");
  });
});
