import {
  clone,
  create,
  createFileRegistry,
  type DescEnum,
  type DescFile,
  type DescMessage,
  type DescService,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/**
 * Returns the files that describe these services and nothing else. Other services, and messages and enums that only they use, are removed,
 * as are files that become empty. Files of options, the files `others`, and their imports are complete.
 */
export function getFiles(services: readonly DescService[], others: readonly DescFile[]): DescFile[] {
  const all = withImports([...services.map((service) => service.file), ...others]);
  const ofOptions = all.filter((file) => file.extensions.length > 0 || file.proto.package.startsWith("google."));
  const whole = new Set(withImports([...ofOptions, ...others]));
  const used = getTypes(services);
  const names = new Set(services.map(({ typeName }) => typeName));
  const kept = new Map<string, DescFile["proto"]>();
  // Registries require imports before the files that import them.
  for (const file of all) {
    const proto = clone(FileDescriptorProtoSchema, file.proto);
    if (!whole.has(file)) {
      const scope = proto.package === "" ? "" : `${proto.package}.`;
      proto.service = proto.service.filter(({ name }) => names.has(scope + name));
      proto.messageType = proto.messageType.filter(({ name }) => used.has(scope + name));
      proto.enumType = proto.enumType.filter(({ name }) => used.has(scope + name));
      if (proto.service.length + proto.messageType.length + proto.enumType.length === 0) continue;
      proto.dependency = proto.dependency.filter((name) => kept.has(name));
    }
    kept.set(proto.name, proto);
  }
  return [...createFileRegistry(create(FileDescriptorSetSchema, { file: [...kept.values()] })).files];
}

/** Returns the files and all their imports. Each file comes after its imports. */
export function withImports(files: readonly DescFile[]): DescFile[] {
  const found = new Set<DescFile>();
  const visit = (file: DescFile): void => {
    if (found.has(file)) return;
    file.dependencies.forEach(visit);
    found.add(file);
  };
  files.forEach(visit);
  return [...found];
}

/** Returns the names of the top-level messages and enums in the requests and responses of these services. */
function getTypes(services: readonly DescService[]): Set<string> {
  const visited = new Set<DescMessage | DescEnum>();
  const visit = (type: DescMessage | DescEnum): void => {
    if (visited.has(type)) return;
    visited.add(type);
    if (type.kind === "enum") return;
    for (const field of type.fields) {
      if (field.message !== undefined) visit(field.message);
      if (field.enum !== undefined) visit(field.enum);
    }
  };
  for (const { methods } of services) for (const { input, output } of methods) [input, output].forEach(visit);
  return new Set([...visited].map((type) => outermost(type).typeName));
}

function outermost(type: DescMessage | DescEnum): DescMessage | DescEnum {
  return type.parent === undefined ? type : outermost(type.parent);
}
