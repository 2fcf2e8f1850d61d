import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeWith } from "../../programs.ts";
import { root } from "../../processes.ts";
import { run } from "../other-clients/run.ts";

/**
 * How the results differ from those that the suite wants, besides the details of errors. An unknown method has the HTTP status of its code, and
 * the error in the body.
 */
const deliberate: Readonly<Record<string, readonly string[]>> = {
  "Connect Unexpected Requests/unexpected-uri": ["actual HTTP status code does not match: wanted 404; got 501"],
};

/** The differences that every error has: it ends with an ErrorInfo, and perhaps with a BadRequest, neither of which the suite can decode. */
const detailsOfErrors = [
  /^actual error contain [12] details; expecting 0$/,
  /^actual error contain (?:2 details; expecting 1|3 details; expecting 2|4 details; expecting 3)$/,
  /could not check debug data because message type "google\.rpc\.\w+" could not be resolved/,
];

/** Returns the other differences of the cases that failed, by the names of the suite and of the case, whatever the protocol. */
function getDifferences(printed: string): Record<string, string[]> {
  const differences: Record<string, string[]> = {};
  for (const part of printed.split(/^FAILED: /m).slice(1)) {
    const [name = "", ...lines] = part.split("\n");
    const title = [name.split("/")[0], name.replace(/:$/, "").split(/\/TLS:\w+\//)[1]].join("/");
    const texts = lines.filter((line) => line.startsWith("\t")).map((line) => line.trim().replace(/^; /, ""));
    const others = texts.filter((text) => text !== "" && !detailsOfErrors.some((known) => known.test(text)));
    if (others.length > 0) differences[title] = [...new Set([...(differences[title] ?? []), ...others])];
  }
  return differences;
}

/**
 * The conformance suite of Connect, whose client checks our servers over each protocol, version of HTTP and compression. `CONFORMANCE_PROTOS` is
 * the folder `proto` of its sources.
 */
describeWith({ variable: "CONFORMANCE_BINARY", name: "connectconformance" }, "the conformance suite", (path) => {
  let folder: string;
  let descriptors: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-conformance-"));
    descriptors = join(folder, "descriptors.binpb");
    const buf = join(root, "node_modules", ".bin", "buf");
    const built = await run(buf, ["build", process.env["CONFORMANCE_PROTOS"] ?? "", "-o", descriptors]);
    if (built.code !== 0) throw new Error(`CONFORMANCE_PROTOS: ${built.stderr}`);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describe.each(["public", "internal"])("of a server that is %s", (kind) => {
    it.each(["CONNECT", "GRPC", "GRPC_WEB"])("holds over %s", { timeout: 150_000 }, async (protocol) => {
      const features = {
        protocols: [`PROTOCOL_${protocol}`],
        codecs: ["CODEC_PROTO"],
        compressions: ["COMPRESSION_IDENTITY", "COMPRESSION_GZIP", "COMPRESSION_BR"],
        supportsTls: false,
        supportsHalfDuplexBidiOverHttp1: true,
      };
      const configuration = join(folder, `${kind}-${protocol}.yaml`);
      await writeFile(configuration, JSON.stringify({ features }));
      const server = [process.execPath, join(import.meta.dirname, "server.ts"), descriptors, kind];
      const flags = ["--conf", configuration, "--mode", "server", "--max-servers", "1"];
      const { stdout, stderr } = await run(path, [...flags, "--", ...server]);
      const printed = stdout + stderr;
      expect(Number(/^Total cases: (\d+)$/m.exec(printed)?.[1])).toBeGreaterThan(200);
      expect(getDifferences(printed)).toEqual(protocol === "CONNECT" ? deliberate : {});
    });
  });
});
