import type { Route } from "@switchyard/rest";
import fc from "fast-check";
import { getBodyFields, withValue } from "../specification/testing/rpcs.ts";
import type { SampleRequest } from "../specification/testing/rpcs.ts";
import { hostileTexts, hostileValue, plausibleMessage, plausibleValue, rawMark } from "./values.ts";

/** A body with its content type; undefined if the request has none. */
export interface Body {
  readonly bytes: Buffer;
  readonly type: string;
}

/** A change of the body of a sample request. */
export type BodyChange = (sample: SampleRequest, body: Body | undefined) => Body | undefined;

/** Returns a JSON text, in which marked texts are written without quotes. */
function toText(value: unknown): string {
  return (JSON.stringify(value) ?? "").replaceAll(new RegExp(`"${rawMark}([^"]*)"`, "g"), "$1");
}

const json = (text: string | Buffer): Body => ({ bytes: Buffer.from(text as string), type: "application/json" });

/** Returns the body of a sample request as it is usually sent. */
export function getUsualBody(route: Route, { body, file }: SampleRequest): Body | undefined {
  if (file === undefined) return route.body === undefined ? undefined : json(JSON.stringify(body ?? {}));
  const fields = Object.entries(body ?? {}).map(([name, value]) => ({ name, bytes: Buffer.from(String(value)) }));
  return form([...fields, { name: "file", filename: file.filename, bytes: Buffer.from(file.text) }]);
}

/** A part of a form. */
interface Part {
  readonly name?: string;
  readonly filename?: string;
  readonly headers?: string;
  readonly bytes: Buffer;
}

function form(parts: readonly Part[], { end = "--fuzz--\r\n", line = "\r\n", type = "" } = {}): Body {
  const chunks = parts.flatMap(({ name, filename, headers = "", bytes }) => {
    const attributes = [
      ...(name === undefined ? [] : [`; name="${name}"`]),
      ...(filename === undefined ? [] : [`; filename="${filename}"`]),
    ];
    const head = `--fuzz${line}Content-Disposition: form-data${attributes.join("")}${line}${headers}${line}`;
    return [Buffer.from(head), bytes, Buffer.from(line)];
  });
  const bytes = Buffer.concat([...chunks, Buffer.from(end)]);
  return { bytes, type: type === "" ? "multipart/form-data; boundary=fuzz" : type };
}

const contents: readonly Buffer[] = [
  ...[
    "",
    " ",
    "\u0000",
    "Total: 12.50",
    "%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer <<>>",
    "PK\u0003\u0004\u0014\u0000",
    "GIF89a",
  ],
  ...[
    "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    "<html><p hidden>x</p>",
    "{\\rtf1 x}",
    'a,b\r\n1,"2\r\n',
  ],
  ...[
    '{"fileId":"fil_none","values":{"total":1}}',
    '{"fileId":1}\n{',
    '{"values":{}}\n\n[]',
    "\ufeff{}",
    "From: a\r\n\r\nb",
  ],
].map((text) => Buffer.from(text));
const binary: readonly Buffer[] = [
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
  Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x00, 0xd8]),
  Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
  Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10]),
  Buffer.from([0x1f, 0x8b, 0x08, 0x00]),
];

const filenames = [
  "a.txt",
  "a.pdf",
  "",
  ".",
  "..",
  "../../a",
  "a\u0000b",
  "ä😀.txt",
  "x".repeat(300),
  "a%0d%0ab",
  "con.",
  '\\"',
];
const types = [
  ...[
    "application/pdf",
    "text/plain",
    "text/plain; charset=utf-16",
    "application/octet-stream",
    "image/png",
    "x",
    "/",
    "*/*",
  ],
  ...[
    "application/json; charset=utf-8",
    "application/x-www-form-urlencoded",
    "text/html",
    "application/zip",
    "TEXT/PLAIN",
  ],
];

function fileBytes(): fc.Arbitrary<Buffer> {
  return fc.oneof(
    fc.constantFrom(...contents, ...binary),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  );
}

function formBody(names: readonly string[]): fc.Arbitrary<BodyChange> {
  const part = fc.record(
    {
      name: fc.constantFrom("file", "file", "file", ...names, "", "__proto__", "other", "x".repeat(300)),
      filename: fc.constantFrom(...filenames),
      headers: fc.constantFrom(
        ...["", "Content-Type: application/pdf\r\n", "Content-Type: ;\r\n", "Content-Transfer-Encoding: base64\r\n"],
        ...[
          "x\r\n",
          `x: ${"y".repeat(9_000)}\r\n`,
          "Content-Type: multipart/mixed; boundary=b\r\n",
          "a: b\r\n".repeat(200),
        ],
      ),
      bytes: fileBytes(),
    },
    { requiredKeys: ["bytes"] },
  );
  const wire = fc.record({
    end: fc.constantFrom(
      "--fuzz--\r\n",
      "--fuzz--\r\n",
      "--fuzz--",
      "",
      "--fuzz",
      "--fuzz\r\n",
      "--fuzz--\r\nmore",
      "--other--",
    ),
    line: fc.constantFrom("\r\n", "\r\n", "\r\n", "\n", "\r"),
    type: fc.constantFrom(
      ...["", "", "", "multipart/form-data", "multipart/form-data; boundary=", 'multipart/form-data; boundary="fuzz"'],
      ...[
        "multipart/mixed; boundary=fuzz",
        "Multipart/Form-Data; Boundary=fuzz",
        `multipart/form-data; boundary=${"x".repeat(80)}`,
      ],
    ),
  });
  const parts = fc.oneof(
    { weight: 8, arbitrary: fc.array(part, { maxLength: 4 }) },
    { weight: 1, arbitrary: part.map((one) => Array.from({ length: 1_100 }, () => one)) },
  );
  return fc.tuple(parts, wire).map(
    ([all, how]) =>
      () =>
        form(all, how),
  );
}

function rawBody(): fc.Arbitrary<BodyChange> {
  return fc.tuple(fileBytes(), fc.constantFrom(...types)).map(([bytes, type]) => () => ({ bytes, type }));
}

/** Changes of the text of a body, whatever it says. */
const textChanges: readonly ((bytes: Buffer) => Buffer)[] = [
  (bytes) => bytes.subarray(0, bytes.length >> 1),
  (bytes) => bytes.subarray(0, -1),
  () => Buffer.alloc(0),
  (bytes) => Buffer.concat([bytes, bytes]),
  (bytes) => Buffer.concat([bytes, Buffer.from(",")]),
  (bytes) => Buffer.concat([Buffer.from("\ufeff"), bytes]),
  (bytes) => Buffer.concat([bytes, Buffer.from([0])]),
  (bytes) => Buffer.concat([Buffer.from(" \n\t".repeat(1_000)), bytes]),
  (bytes) => Buffer.concat([Buffer.from("\u00a0"), bytes]),
  (bytes) => Buffer.from(bytes.toString("utf8"), "utf16le"),
  (bytes) => Buffer.from(bytes.toString("utf8").replace(/"([a-z])/i, '"\\u0000$1')),
  (bytes) => Buffer.from(bytes.toString("latin1").replace(/[a-z]"/i, '\u00ff"'), "latin1"),
  (bytes) => Buffer.from(bytes.toString("utf8").replace(/^\{(("[^"]+"):[^,}]*)/, "{$1,$1")),
  (bytes) => Buffer.from(bytes.toString("utf8").replace("{", '{"__proto__":{"x":1},')),
  (bytes) => Buffer.from(bytes.toString("utf8").replace("{", '{"a":1,"a":2,')),
  (bytes) => Buffer.from(bytes.toString("utf8").replace("}", ",}")),
  (bytes) => Buffer.from(bytes.toString("utf8").replace("{", "{/* */")),
  (bytes) => Buffer.from(bytes.toString("utf8").replaceAll('"', "'")),
  (bytes) => Buffer.from(bytes.toString("utf8").replace(/:"/, ':"\\ud800\\udc')),
  () => Buffer.from("[".repeat(100_000)),
  () => Buffer.from('{"a":'.repeat(50_000)),
  () => Buffer.from(`{"name":${"9".repeat(100_000)}}`),
  () => Buffer.from(`{"${"k".repeat(200_000)}":1}`),
  () => Buffer.from(`{${Array.from({ length: 20_000 }, (_, place) => `"k${place}":0`).join()}}`),
  () => Buffer.alloc(1_100_000, " "),
  () => Buffer.from([0xc0, 0x80]),
  () => Buffer.from([0xed, 0xa0, 0x80]),
];

/** Creates changes of the body of a request of this endpoint: valid ones, nearly valid ones and hostile ones. */
export function bodyChange(route: Route, ids: readonly string[]): fc.Arbitrary<readonly BodyChange[]> {
  const fields = getBodyFields(route);
  const kept: BodyChange = (_, body) => body;
  const tampered = fc.constantFrom(...textChanges).map(
    (change): BodyChange =>
      (_, body) =>
        body && { ...body, bytes: change(body.bytes) },
  );
  const other = fc.oneof(hostileValue(ids), fc.jsonValue({ maxDepth: 4 })).map(
    (value): BodyChange =>
      () =>
        json(toText(value)),
  );
  if (route.body === undefined) return fc.oneof({ weight: 12, arbitrary: fc.constant([]) }, fc.tuple(other));
  const setField = fc
    .constantFrom(...(fields.length === 0 ? [undefined] : fields))
    .chain((field) =>
      field === undefined
        ? fc.constant(kept)
        : fc
            .oneof(hostileValue(ids), plausibleValue(field.field, ids), fc.constant(undefined))
            .map((value): BodyChange => change((body) => withValue(body, field.steps, value))),
    );
  const strangeKey = fc
    .tuple(fc.constantFrom(...hostileTexts, "isGlobal", "project_id", "id", "updateMask"), hostileValue(ids))
    .map(([key, value]): BodyChange => change((body) => ({ ...body, [key]: value })));
  const top = fields.filter(({ steps }) => steps.length === 1).map(({ field }) => field);
  const whole = plausibleMessage(top, ids).map(
    (value): BodyChange =>
      () =>
        json(toText(value)),
  );
  const upload = route.upload === undefined ? [] : [formBody(top.map(({ jsonName }) => jsonName)), rawBody()];
  const single = fc.oneof(
    { weight: 8, arbitrary: setField },
    { weight: 1, arbitrary: strangeKey },
    { weight: 4, arbitrary: whole },
    { weight: 1, arbitrary: other },
    { weight: 2, arbitrary: tampered },
    ...upload.map((arbitrary) => ({ weight: 8, arbitrary })),
  );
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 5, arbitrary: fc.array(single, { minLength: 1, maxLength: 3 }) },
  );
}

/** Changes the JSON of the body; of a sample with a file, that of its fields. */
function change(apply: (body: object) => unknown): BodyChange {
  return (sample, body) => {
    const current = body?.type === "application/json" ? parsed(body.bytes) : undefined;
    return json(toText(apply(current ?? { ...sample.body })));
  };
}

function parsed(bytes: Buffer): object | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
