import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeWith } from "../../programs.ts";
import { givenOffice } from "../../specification/testing/office.ts";
import { run } from "./run.ts";

const python = {
  variable: "PYTHON_BINARY",
  name: "python3",
  check: ["-c", "import grpc, grpc_tools, grpc_status"],
};

describeWith(python, "a Python client generated from proto/", (path) => {
  const given = givenOffice();
  let folder: string;
  let printed: Record<string, unknown>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-python-"));
    const { projectId, classifier } = given.office;
    const file = join(folder, "given.json");
    await writeFile(file, JSON.stringify({ token: given.system.token, projectId, classifier }));
    await mkdir(join(folder, "generated"));
    const target = `127.0.0.1:${given.system.grpcPort}`;
    const { stdout, stderr } = await run(path, [
      join(import.meta.dirname, "client.py"),
      join(folder, "generated"),
      target,
      file,
    ]);
    if (!stdout.startsWith("{")) throw new Error(`The client printed no results: ${stdout}${stderr}`);
    printed = JSON.parse(stdout) as Record<string, unknown>;
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    ["calls a method with metadata, and reads that of the response", "unary", ["Ada", "from-python", "OK"]],
    ["has 100 calls at once on one connection", "concurrent", 100],
    ["uploads a file as a stream", "clientStream", [true, true]],
    ["downloads a file as a stream", "serverStream", true],
    [
      "gets an error if a stream ends too early",
      "incomplete",
      { code: "INVALID_ARGUMENT", reason: "UPLOAD_INCOMPLETE", fields: ["data"] },
    ],
    ["gets an error without a token", "noToken", { code: "UNAUTHENTICATED", reason: "TOKEN_MISSING" }],
    ["reads the details of an error", "notFound", { code: "NOT_FOUND", reason: "FILE_NOT_FOUND", fields: ["fileId"] }],
    [
      "reads the details of an error in a stream",
      "notFoundInStream",
      { code: "NOT_FOUND", reason: "FILE_NOT_FOUND", fields: ["fileId"] },
    ],
    [
      "reads the fields of an invalid request",
      "invalid",
      { code: "INVALID_ARGUMENT", reason: "INVALID_REQUEST", fields: ["fileId"] },
    ],
    ["gets UNIMPLEMENTED for an unknown method", "unknownMethod", expect.objectContaining({ code: "UNIMPLEMENTED" })],
    ["gets an error for bytes that are no message", "noMessage", expect.objectContaining({ code: "INVALID_ARGUMENT" })],
    ["gets DEADLINE_EXCEEDED for a stream that its deadline ends", "deadline", { code: "DEADLINE_EXCEEDED" }],
    ["cancels a stream", "cancelled", "CANCELLED"],
    ["sends a document of 25 MiB in one message", "largest", "Invoice"],
    ["gets an error for a larger document", "tooLarge", expect.objectContaining({ reason: "PAYLOAD_TOO_LARGE" })],
    [
      "gets an error for a message over the limit",
      "overMessageLimit",
      expect.objectContaining({ code: "RESOURCE_EXHAUSTED" }),
    ],
    ["continues on the same connection", "afterRefusals", "Invoice"],
    ["sends messages compressed with gzip", "gzip", "Invoice"],
    [
      "gets UNIMPLEMENTED for a compression that the server does not have",
      "deflate",
      expect.objectContaining({ code: "UNIMPLEMENTED" }),
    ],
  ])("%s", (_title, name, expected) => {
    expect(printed[name]).toEqual(expected);
  });
});
