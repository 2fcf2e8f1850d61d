import { create, createFileRegistry, setExtension } from "@bufbuild/protobuf";
import type { DescFile, DescMessage, DescService } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorSetSchema,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { file_google_api_annotations, http } from "@switchyard/contracts/google/api/annotations";
import { HttpRuleSchema } from "@switchyard/contracts/google/api/http";
import type { HttpRule } from "@switchyard/contracts/google/api/http";
import { createTextFieldsReader } from "../requests/query.ts";
import { createRoutes } from "./routes.ts";

/** Creates a service with one method that has this rule. Its request has fields of types that the contracts do not use. */
function serviceWith(rule: HttpRule): { service: DescService; input: DescMessage } {
  const options = create(MethodOptionsSchema);
  setExtension(options, http, rule);
  const field = (name: string, number: number, type: Type, oneofIndex?: number) => ({
    ...{ name, number, type, label: Label.OPTIONAL, jsonName: name },
    ...(oneofIndex === undefined ? {} : { oneofIndex }),
  });
  const withImports = (file: DescFile): DescFile[] => [...file.dependencies.flatMap(withImports), file];
  const file = {
    ...{ name: "made.proto", package: "made", syntax: "proto3", dependency: ["google/api/annotations.proto"] },
    messageType: [
      {
        name: "Request",
        field: [
          ...[field("data", 1, Type.BYTES), field("ratio", 2, Type.FLOAT)],
          ...[field("left", 3, Type.STRING, 0), field("right", 4, Type.STRING, 0)],
        ],
        oneofDecl: [{ name: "side" }],
      },
    ],
    service: [
      { name: "Made", method: [{ name: "Get", inputType: ".made.Request", outputType: ".made.Request", options }] },
    ],
  };
  const imports = [...new Set(withImports(file_google_api_annotations))].map(({ proto }) => proto);
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [...imports, file] }));
  const service = registry.getService("made.Made");
  const input = registry.getMessage("made.Request");
  if (service === undefined || input === undefined) throw new Error("the service was not created");
  return { service, input };
}

function get(path: string, ...additionalBindings: HttpRule[]): HttpRule {
  return create(HttpRuleSchema, { pattern: { case: "get", value: path }, additionalBindings });
}

describe("HTTP rules", () => {
  it("cannot have a variable of type bytes", () => {
    expect(() => createRoutes([serviceWith(get("/api/v1/{data}")).service])).toThrow(
      /made.Made.Get: path variable "data"/,
    );
    expect(createRoutes([serviceWith(get("/api/v1/{left}")).service])).toHaveLength(1);
  });

  it("cannot have nested additional bindings", () => {
    const nested = get("/a", get("/b", get("/c")));
    expect(() => createRoutes([serviceWith(nested).service])).toThrow(/made.Made.Get: additional_bindings inside/);
    expect(createRoutes([serviceWith(get("/a", get("/b"))).service])).toHaveLength(2);
  });
});

describe("query parameters of a request with a float and a oneof", () => {
  const read = createTextFieldsReader(serviceWith(get("/a")).input.fields);
  const faults = (...parameters: [string, string][]) => {
    const outcome = read(parameters);
    return outcome.ok ? [] : outcome.violations.map(({ field }) => field);
  };

  it("are rejected if a float cannot represent them", () => {
    expect(faults(["ratio", "3.4e38"])).toEqual([]);
    expect(faults(["ratio", "3.5e38"])).toEqual(["ratio"]);
    expect(faults(["ratio", "-1e39"])).toEqual(["ratio"]);
  });

  it("are rejected if they are two members of a oneof", () => {
    expect(faults(["left", "a"])).toEqual([]);
    expect(faults(["left", "a"], ["right", "b"])).toEqual(["right"]);
  });
});
