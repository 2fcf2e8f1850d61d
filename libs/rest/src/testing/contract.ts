import { create, createFileRegistry, setExtension } from "@bufbuild/protobuf";
import type { DescFile, DescService } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorSetSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
  MethodOptionsSchema,
  type DescriptorProto,
  type FieldDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import { file_google_api_annotations, http } from "@switchyard/contracts/google/api/annotations";
import { HttpRuleSchema, type HttpRule } from "@switchyard/contracts/google/api/http";

type MessageInit<T> = Partial<Omit<T, "$typeName" | "$unknown">>;

/** An HTTP rule as the cases write it: the method and the path in one, such as "GET /v1/{name}". */
export interface Rule {
  readonly rule: string;
  readonly body?: string;
  readonly responseBody?: string;
  readonly additional?: readonly Rule[];
}

/** A method of the contract of a case. */
export interface MethodSource {
  readonly name: string;
  readonly rule: Rule;
  /** The names of its messages. */
  readonly input: string;
  readonly output: string;
}

/** A contract of a case. Fields are written as in a .proto file, without their numbers; "oneof NAME" before the type makes one a member. */
export interface ContractSource {
  readonly messages: Readonly<Record<string, readonly string[]>>;
  /** The values of enums, numbered from 0. A value may have its own number: "NEG=-1". */
  readonly enums?: Readonly<Record<string, readonly string[]>>;
  readonly methods: readonly MethodSource[];
}

const imports = [
  ...[file_google_api_annotations, file_google_protobuf_any, file_google_protobuf_duration, file_google_protobuf_empty],
  ...[file_google_protobuf_field_mask, file_google_protobuf_struct, file_google_protobuf_timestamp],
  file_google_protobuf_wrappers,
];

/** Creates the service of a contract, without generated code. Its name is "cases.Cases". */
export function createService({ messages, enums = {}, methods }: ContractSource): DescService {
  const withImports = (file: DescFile): DescFile[] => [...file.dependencies.flatMap(withImports), file];
  const known = [...new Set(imports.flatMap(withImports))].map(({ proto }) => proto);
  const file = {
    ...{ name: "cases.proto", package: "cases", syntax: "proto3", dependency: known.map(({ name }) => name) },
    messageType: Object.entries(messages).map(([name, fields]) => createMessage(name, fields, enums)),
    enumType: Object.entries(enums).map(([name, values]) => ({
      name,
      value: values.map((value, index) => {
        const [label = "", number = String(index)] = value.split("=");
        return { name: label, number: Number(number) };
      }),
      options: { allowAlias: true },
    })),
    service: [
      {
        name: "Cases",
        method: methods.map(({ name, rule, input, output }) => {
          const options = create(MethodOptionsSchema);
          setExtension(options, http, createRule(rule));
          return { name, inputType: `.cases.${input}`, outputType: `.cases.${output}`, options };
        }),
      },
    ],
  };
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [...known, file] }));
  const service = registry.getService("cases.Cases");
  if (service === undefined) throw new Error("the service was not created");
  return service;
}

/** Creates an HTTP rule. A method that google.api.http does not list becomes a custom pattern. */
function createRule({ rule, body = "", responseBody = "", additional = [] }: Rule): HttpRule {
  const [method = "", path = ""] = rule.split(" ");
  const kind = method.toLowerCase();
  return create(HttpRuleSchema, {
    ...{ body, responseBody, additionalBindings: additional.map(createRule) },
    pattern:
      method === ""
        ? { case: undefined }
        : kind === "get" || kind === "put" || kind === "post" || kind === "delete" || kind === "patch"
          ? { case: kind, value: path }
          : { case: "custom", value: { kind: method, path } },
  });
}

function createMessage(
  name: string,
  fields: readonly string[],
  enums: Readonly<Record<string, readonly string[]>>,
): MessageInit<DescriptorProto> {
  const oneofs: string[] = [];
  const nestedType: MessageInit<DescriptorProto>[] = [];
  const field = fields.map((text, index): MessageInit<FieldDescriptorProto> => {
    const words = text.replace(", ", ",").split(" ");
    const local = words.at(-1) ?? "";
    const type = words.at(-2) ?? "";
    const base = { name: local, jsonName: toJsonName(local), number: index + 1 };
    const map = /^map<([^,]+),(.+)>$/.exec(type);
    if (map !== null) {
      const entry = `${local}_entry`;
      const members = [`${map[1]} key`, `${map[2]} value`];
      nestedType.push({ ...createMessage(entry, members, enums), options: { mapEntry: true } } as never);
      return { ...base, label: Label.REPEATED, type: Type.MESSAGE, typeName: `.cases.${name}.${entry}` };
    }
    const oneof = words[0] === "oneof" ? words[1] : words[0] === "optional" ? `_${local}` : undefined;
    if (oneof !== undefined && !oneofs.includes(oneof)) oneofs.push(oneof);
    return {
      ...base,
      ...toType(type, enums),
      label: words[0] === "repeated" ? Label.REPEATED : Label.OPTIONAL,
      ...(oneof === undefined ? {} : { oneofIndex: oneofs.indexOf(oneof), proto3Optional: words[0] === "optional" }),
    };
  });
  return {
    name,
    field,
    nestedType,
    oneofDecl: oneofs.map((oneof) => ({ name: oneof })),
  } as MessageInit<DescriptorProto>;
}

function toType(name: string, enums: Readonly<Record<string, readonly string[]>>): MessageInit<FieldDescriptorProto> {
  const scalar = Type[name.toUpperCase() as keyof typeof Type] as Type | undefined;
  if (scalar !== undefined && name === name.toLowerCase()) return { type: scalar };
  if (name === "google.protobuf.NullValue") return { type: Type.ENUM, typeName: `.${name}` };
  if (name.startsWith("google.")) return { type: Type.MESSAGE, typeName: `.${name}` };
  return { type: name in enums ? Type.ENUM : Type.MESSAGE, typeName: `.cases.${name}` };
}

/** Returns the JSON name that protoc gives a field. */
export function toJsonName(name: string): string {
  return name.replace(/_+(.?)/g, (_underscores, next: string) => next.toUpperCase());
}
