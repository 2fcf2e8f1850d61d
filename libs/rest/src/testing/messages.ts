/** The messages of the cases: the fields of the conformance tests of protobuf, with the few others that the requests of the cases name. */

const numbers = [
  "int32",
  "int64",
  "uint32",
  "uint64",
  "sint32",
  "sint64",
  "fixed32",
  "fixed64",
  "sfixed32",
  "sfixed64",
];
const scalars = [...numbers, "float", "double", "bool"];
const wrapped = ["Bool", "Int32", "Int64", "UInt32", "UInt64", "Float", "Double", "String", "Bytes"];

const singular = [
  ...[...scalars, "string", "bytes"].map((type) => `${type} optional_${type}`),
  ...["Nested optional_nested_message", "Foreign optional_foreign_message", "Everything recursive_message"],
  ...["NestedEnum optional_nested_enum", "ForeignEnum optional_foreign_enum", "AliasedEnum optional_aliased_enum"],
  ...["string optional_string_piece", "string optional_cord", "PrefixedEnum prefixed_enum"],
  ...["optional string maybe_string", "google.protobuf.Empty optional_empty"],
  ...["google.protobuf.Duration optional_duration", "google.protobuf.Timestamp optional_timestamp"],
  ...["google.protobuf.FieldMask optional_field_mask", "google.protobuf.Struct optional_struct"],
  ...["google.protobuf.Any optional_any", "google.protobuf.Value optional_value"],
  "google.protobuf.NullValue optional_null_value",
  ...wrapped.map((type) => `google.protobuf.${type}Value optional_${type.toLowerCase()}_wrapper`),
];

const repeated = [
  ...[...scalars, "string", "bytes"].map((type) => `repeated ${type} repeated_${type}`),
  ...[...scalars].flatMap((type) => [`repeated ${type} packed_${type}`, `repeated ${type} unpacked_${type}`]),
  ...["repeated Nested repeated_nested_message", "repeated Foreign repeated_foreign_message"],
  ...["repeated NestedEnum repeated_nested_enum", "repeated ForeignEnum repeated_foreign_enum"],
  ...["repeated NestedEnum packed_nested_enum", "repeated NestedEnum unpacked_nested_enum"],
  ...["repeated string repeated_string_piece", "repeated string repeated_cord"],
  ...["Duration", "Timestamp", "Struct", "Any", "Value", "Empty"].map(
    (type) => `repeated google.protobuf.${type} repeated_${type.toLowerCase()}`,
  ),
  "repeated google.protobuf.FieldMask repeated_fieldmask",
  "repeated google.protobuf.ListValue repeated_list_value",
  ...wrapped.map((type) => `repeated google.protobuf.${type}Value repeated_${type.toLowerCase()}_wrapper`),
];

const maps = [
  ...numbers.map((type) => `map<${type}, ${type}> map_${type}_${type}`),
  ...["map<int32, float> map_int32_float", "map<int32, double> map_int32_double", "map<bool, bool> map_bool_bool"],
  ...["map<string, string> map_string_string", "map<string, bytes> map_string_bytes"],
  ...["map<string, int32> map_string_int32", "map<string, Nested> map_string_nested_message"],
  ...["map<string, Foreign> map_string_foreign_message", "map<string, NestedEnum> map_string_nested_enum"],
  "map<string, ForeignEnum> map_string_foreign_enum",
];

const oneof = [
  ...["uint32", "string", "bytes", "bool", "uint64", "float", "double"].map((type) => `${type} oneof_${type}`),
  ...["Nested oneof_nested_message", "NestedEnum oneof_enum", "google.protobuf.NullValue oneof_null_value"],
].map((field) => `oneof choice ${field}`);

const names = [
  ...["fieldname1", "field_name2", "_field_name3", "field__name4_", "field0name5", "field_0_name6", "fieldName7"],
  ...["FieldName8", "field_Name9", "Field_Name10", "FIELD_NAME11", "FIELD_name12", "__field_name13", "__Field_name14"],
  ...["field__name15", "field__Name16", "field_name17__", "Field_name18__"],
].map((name) => `int32 ${name}`);

/** The fields of the message `Everything`, which has every type, and of the messages within it. */
export const messages: Readonly<Record<string, readonly string[]>> = {
  Everything: [...singular, ...repeated, ...maps, ...oneof, ...names],
  Nested: ["int32 a", "Everything corecursive"],
  Foreign: ["int32 c"],
};

/** The enums of these messages. */
export const enums: Readonly<Record<string, readonly string[]>> = {
  NestedEnum: ["FOO", "BAR", "BAZ", "NEG=-1"],
  ForeignEnum: ["FOREIGN_FOO", "FOREIGN_BAR", "FOREIGN_BAZ"],
  AliasedEnum: ["ALIAS_FOO", "ALIAS_BAR", "ALIAS_BAZ", "MOO=2", "moo=2", "bAz=2"],
  PrefixedEnum: ["PREFIXED_ENUM_UNSPECIFIED", "PREFIXED_ENUM_ONE", "PREFIXED_ENUM_TWO"],
};
