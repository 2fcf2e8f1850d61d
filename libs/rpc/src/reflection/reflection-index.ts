import { type DescExtension, type DescFile, type DescMessage, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { getFiles, withImports } from "./descriptor-files.ts";

/** Answers questions about the files of a set of services. Names are as in the files, without a leading dot. */
export interface ReflectionIndex {
  serviceNames: readonly string[];
  fileNamed(name: string): DescFile | undefined;
  fileWithSymbol(symbol: string): DescFile | undefined;
  fileWithExtension(extendee: string, number: number): DescFile | undefined;
  /** Returns the numbers of all extensions of a message in ascending order; undefined if there is no such message. */
  extensionNumbers(extendee: string): number[] | undefined;
  /** Serializes a file and all its imports, beginning with the file itself. */
  withImports(file: DescFile): Uint8Array[];
}

/** Creates an index of the files that describe `services` (see `getFiles`), of the files `others`, and of all their imports. */
export function indexForReflection(services: readonly DescService[], others: readonly DescFile[]): ReflectionIndex {
  const files = getFiles(services, others);
  const symbols = new Map<string, DescFile>();
  const messages = new Set<string>();
  const extensions = new Map<string, Map<number, DescFile>>();
  for (const file of files) {
    for (const symbol of getSymbols(file)) symbols.set(symbol, file);
    for (const message of getMessages(file)) messages.add(message.typeName);
    for (const { extendee, number } of getExtensions(file)) {
      const byNumber = extensions.get(extendee.typeName) ?? new Map<number, DescFile>();
      extensions.set(extendee.typeName, byNumber.set(number, file));
    }
  }
  // `DescFile.name` lacks the suffix ".proto" that requests contain.
  const byName = new Map(files.map((file) => [file.proto.name, file]));
  return {
    serviceNames: [...new Set(services.map((service) => service.typeName))].sort(),
    fileNamed: (name) => byName.get(name),
    fileWithSymbol: (symbol) => symbols.get(symbol),
    fileWithExtension: (extendee, number) => extensions.get(extendee)?.get(number),
    extensionNumbers: (extendee) =>
      messages.has(extendee) ? [...(extensions.get(extendee)?.keys() ?? [])].sort((a, b) => a - b) : undefined,
    withImports: (file) =>
      withImports([file])
        .reverse()
        .map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto)),
  };
}

function getMessages(parent: DescFile | DescMessage): DescMessage[] {
  const own = parent.kind === "file" ? parent.messages : parent.nestedMessages;
  return own.flatMap((message) => [message, ...getMessages(message)]);
}

function getExtensions(file: DescFile): DescExtension[] {
  return [...file.extensions, ...getMessages(file).flatMap((message) => message.nestedExtensions)];
}

function getSymbols(file: DescFile): string[] {
  const messages = getMessages(file);
  const enums = [...file.enums, ...messages.flatMap((message) => message.nestedEnums)];
  return [
    ...messages.flatMap((message) => [
      message.typeName,
      ...message.fields.map((field) => `${message.typeName}.${field.name}`),
      ...message.oneofs.map((oneof) => `${message.typeName}.${oneof.name}`),
    ]),
    ...enums.flatMap(({ typeName, values }) => {
      // The values of an enum are in the scope of the enum, not below it.
      const scope = typeName.slice(0, typeName.lastIndexOf(".") + 1);
      return [typeName, ...values.map((value) => scope + value.name)];
    }),
    ...getExtensions(file).map((extension) => extension.typeName),
    ...file.services.flatMap((service) => [
      service.typeName,
      ...service.methods.map((method) => `${service.typeName}.${method.name}`),
    ]),
  ];
}
