import { createFileRegistry, fromJsonString, toJsonString, type DescService } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { ServerReflection } from "@switchyard/contracts/grpc/reflection/v1/reflection";

/**
 * Returns the reflection service under the name that it had before its first version, `grpc.reflection.v1alpha`. Its messages are the same
 * on the wire. Some clients only know this name.
 */
export function createReflectionV1Alpha(): DescService {
  const text = toJsonString(FileDescriptorProtoSchema, ServerReflection.file.proto);
  const renamed = text.replaceAll(/\bgrpc([./])reflection\1v1\b/g, "grpc$1reflection$1v1alpha");
  const file = fromJsonString(FileDescriptorProtoSchema, renamed);
  const service = createFileRegistry(file, () => undefined).getService("grpc.reflection.v1alpha.ServerReflection");
  if (service === undefined) throw new Error("The file of the reflection service does not contain it.");
  return service;
}
