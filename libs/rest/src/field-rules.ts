import { getOption, hasOption, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { is_required, rule } from "@switchyard/contracts/switchyard/annotations/v1/annotations";

/** Whether a request must contain a field. */
export function isRequired(field: DescField): boolean {
  return hasOption(field, rule) && getOption(field, rule).required;
}

/** Whether null is one of the values of a field that a request must contain. */
export function hasNullValue(field: DescField): boolean {
  return hasOption(field, rule) && getOption(field, rule).nullable;
}

/** Whether a change cannot clear a field by null, although it has presence. */
export function isNeverNull(field: DescField): boolean {
  return hasOption(field, rule) && getOption(field, rule).neverNull;
}

/** Returns the fields of a message of which a request must set exactly one. Empty if the message has no required oneof. */
export function getAlternatives(message: DescMessage): readonly DescField[] {
  return message.oneofs.filter((oneof) => getOption(oneof, is_required)).flatMap((oneof) => oneof.fields);
}
