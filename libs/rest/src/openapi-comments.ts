import type { DescEnum, DescEnumValue, DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { comments } from "@switchyard/contracts/comments";

/** What has a comment in the contracts. */
export type Commented = DescService | DescMethod | DescMessage | DescField | DescEnum | DescEnumValue;

/** The comment before a declaration in its .proto file; "" for one that is not of the package switchyard. */
export function commentOf(descriptor: Commented): string {
  const name = fullName(descriptor);
  return Object.hasOwn(comments, name) ? (comments[name] ?? "") : "";
}

function fullName(descriptor: Commented): string {
  switch (descriptor.kind) {
    case "service":
    case "message":
    case "enum":
      return descriptor.typeName;
    case "rpc":
    case "field":
    case "enum_value":
      return `${descriptor.parent.typeName}.${descriptor.name}`;
  }
}
