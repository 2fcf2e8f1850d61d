import { createRestCalls } from "../testing/rest-calls.ts";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

let system: TestGateway;
beforeAll(async () => {
  system = await startTestGateway();
});
afterAll(() => system.stop());

const { call } = createRestCalls(() => system);
const files = "/api/v1/projects/prj_1/files";
const classify = "/api/v1/classify/clf_1";
const headers = { "content-type": "multipart/form-data; boundary=x" };
const disposition = 'Content-Disposition: form-data; name="file"; filename=';
const sendParts = (path: string, ...parts: (string | Buffer)[]) => {
  const bytes = parts.flatMap((part) => [Buffer.from("--x\r\n"), Buffer.from(part), Buffer.from("\r\n")]);
  return call("POST", path, { body: Buffer.concat([...bytes, Buffer.from("--x--\r\n")]), headers });
};

it.each([
  ["a.txt", "a.txt"],
  ['"a;b.txt"', "a;b.txt"],
  ['"a\\"b.txt"', 'a"b.txt'],
  ['"C:\\documents\\new.txt"', "new.txt"],
  ['"../../a.txt"', "a.txt"],
  ["\"_.txt\"; filename*=UTF-8''%C3%A4%2522.txt", "ä%22.txt"],
  ["\"_.txt\"; filename*=iso-8859-1'en'%E4.txt", "ä.txt"],
  ["\"_.txt\"; filename*=UTF-8''%EF%BF%BD.txt", "\ufffd.txt"],
  ['"a.txt"; filename*=malformed', "a.txt"],
])("reads the file name %s", async (sent, filename) => {
  const response = await sendParts(files, `${disposition}${sent}\r\n\r\na`);
  expect([response.status, response.json["filename"]]).toEqual([201, filename]);
});

it.each(['""', '".."', '"folder/"', "UTF-8''%E4.txt", "\"a\"; filename*=UTF-8''%E4.txt"])(
  "refuses the file name %s",
  async (sent) => {
    const parts = `${sent.startsWith("UTF") ? disposition.replace("filename=", "filename*=") : disposition}${sent}`;
    expect((await sendParts(files, `${parts}\r\n\r\na`)).json).toMatchObject({ errors: [{ field: "file" }] });
  },
);

it.each([
  ["text/plain; charset=windows-1251", "text/plain; charset=windows-1251"],
  ['text/csv;charset="Shift_JIS"; header=present', 'text/csv;charset="Shift_JIS"; header=present'],
  ["application/pdf", "application/pdf"],
  [undefined, "text/plain"],
])("keeps the content type of a file of a form, with its charset: %s", async (sent, contentType) => {
  const type = sent === undefined ? "" : `\r\nContent-Type: ${sent}`;
  const response = await sendParts(files, `${disposition}"a.txt"${type}\r\n\r\na`);
  expect(response.json).toMatchObject({ contentType });
  expect(system.stored.at(-1)?.contentType).toBe(contentType);
});

it("reads the text of a form in the charset of its part, and refuses what is not in it", async () => {
  const send = (type: string, text: Buffer) => {
    const field = `Content-Disposition: form-data; name="externalId"${type}\r\n\r\n`;
    const file = `${disposition}a.txt\r\n\r\na`;
    return sendParts(classify, Buffer.concat([Buffer.from(field), text]), file);
  };
  const latin = Buffer.from("Größe", "latin1");
  expect((await send("\r\nContent-Type: text/plain; charset=iso-8859-1", latin)).status).toBe(201);
  expect(system.classified.at(-1)?.externalId).toBe("Größe");
  expect((await send("", Buffer.from("Größe"))).status).toBe(201);
  expect(system.classified.at(-1)?.externalId).toBe("Größe");
  for (const type of ["", "\r\nContent-Type: text/plain; charset=no-such"])
    expect((await send(type, latin)).json).toMatchObject({ status: 400, errors: [{ field: "externalId" }] });
});

it("refuses parts that are not parts of a form, rather than ignoring them", async () => {
  const file = `${disposition}a.txt\r\n\r\na`;
  for (const part of [
    "Content-Type: text/plain\r\n\r\ntrue",
    'Content-Disposition: attachment; name="explain"\r\n\r\ntrue',
    'Content-Disposition: form-data; name="ex\nplain"\r\n\r\ntrue',
    'Content-Disposition: form-data; name="explain"',
  ])
    for (const parts of [
      [part, file],
      [file, part],
    ])
      expect([part, (await sendParts(classify, ...parts)).status]).toEqual([part, 400]);
});

it("refuses more than 50 parts, parts that are too large, and forms without a part or an end", async () => {
  const field = 'Content-Disposition: form-data; name="externalId"\r\n\r\n';
  const many = await sendParts(files, ...Array.from({ length: 5_000 }, () => field));
  expect(many.json).toMatchObject({ status: 400, errors: [{ field: "body", message: "has more than 50 parts" }] });
  const large = await sendParts(classify, `${field}${"a".repeat(1_048_577)}`);
  expect(large.json).toMatchObject({ status: 413, errors: [{ field: "externalId" }] });
  expect((await sendParts(files)).json).toMatchObject({ errors: [{ field: "file", message: "is required" }] });
  for (const body of ["", "--x", "--x\r\n", "--x--"].map((text) => text || "\r\n"))
    expect((await call("POST", files, { body, headers })).status).toBe(400);
});

it.each([
  [1, 201],
  [70, 201],
  [252, 201],
  [253, 400],
])("finds a boundary of %i characters: %i", async (length, status) => {
  const boundary = "b".repeat(length);
  const type = { "content-type": `multipart/form-data; boundary="${boundary}"` };
  const body = `--${boundary}\r\n${disposition}a.txt\r\n\r\na\r\n--${boundary}--\r\n`;
  expect((await call("POST", files, { body, headers: type })).status).toBe(status);
});

it("refuses a file name that is not UTF-8, and takes one with a replacement character", async () => {
  const send = (name: Buffer) =>
    sendParts(files, Buffer.concat([Buffer.from(`${disposition}"`), name, Buffer.from('"\r\n\r\na')]));
  const before = system.stored.length;
  const errors = [{ field: "file", message: "has a filename that is not UTF-8" }];
  expect((await send(Buffer.from("Größe.pdf", "latin1"))).json).toMatchObject({ status: 400, errors });
  expect(system.stored.length).toBe(before);
  for (const name of ["Größe.pdf", "Gr\ufffd\ufffde.pdf"])
    expect((await send(Buffer.from(name))).json.filename).toBe(name);
});
