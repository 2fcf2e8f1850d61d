import type { DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";

// Numbers of fields in google/protobuf/descriptor.proto, of which the paths of source locations are made.
const messageTypes = 4;
const services = 6;
const messageFields = 2;
const serviceMethods = 2;

/** The comment before a declaration in its .proto file; "" when the descriptor carries no source locations. */
export function commentOf(descriptor: DescService | DescMethod | DescMessage | DescField): string {
  const { file, path } = placeOf(descriptor);
  const found = file.proto.sourceCodeInfo?.location.find(
    (candidate) => candidate.path.length === path.length && candidate.path.every((step, index) => step === path[index]),
  );
  return (found?.leadingComments ?? "").trim().replace(/\n /g, "\n");
}

function placeOf(descriptor: DescService | DescMethod | DescMessage | DescField) {
  switch (descriptor.kind) {
    case "service":
      return { file: descriptor.file, path: [services, descriptor.file.services.indexOf(descriptor)] };
    case "rpc": {
      const { file, methods } = descriptor.parent;
      return {
        file,
        path: [services, file.services.indexOf(descriptor.parent), serviceMethods, methods.indexOf(descriptor)],
      };
    }
    case "message":
      return { file: descriptor.file, path: messagePath(descriptor) };
    case "field": {
      const { parent } = descriptor;
      const index = parent.proto.field.indexOf(descriptor.proto);
      return { file: parent.file, path: [...messagePath(parent), messageFields, index] };
    }
  }
}

function messagePath(message: DescMessage): number[] {
  const { parent } = message;
  return parent === undefined
    ? [messageTypes, message.file.messages.indexOf(message)]
    : [...messagePath(parent), 3, parent.nestedMessages.indexOf(message)];
}
