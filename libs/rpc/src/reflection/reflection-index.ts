import { type DescExtension, type DescFile, type DescMessage, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { getFiles, withImports } from "./files.ts";

/** What can be asked about the files of a set of services. All names are as in the files, without a leading dot. */
export interface ReflectionIndex {
  serviceNames: readonly string[];
  fileNamed(name: string): DescFile | undefined;
  fileWithSymbol(symbol: string): DescFile | undefined;
  fileWithExtension(extendee: string, number: number): DescFile | undefined;
  /** The numbers of all extensions of a message, ascending; undefined when there is no such message. */
  extensionNumbers(extendee: string): number[] | undefined;
  /** The file and all that it imports, serialised, the file itself first. */
  withImports(file: DescFile): Uint8Array[];
}

/** Indexes what describes `services` (`getFiles`), the files `others`, and everything that these import. */
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
  // Not `DescFile.name`, which lacks the ".proto" that requests have.
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
      // The values of an enum are named beside it, not in it.
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
