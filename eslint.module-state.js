// The rule `switchyard/no-module-state`: what a module declares at its top level never changes.

const collections = new Set(["Map", "Set", "WeakMap", "WeakSet", "Array"]);
const mutators = new Set("add clear copyWithin delete fill pop push reverse set shift sort splice unshift".split(" "));
const objectMutators = new Set(["assign", "defineProperties", "defineProperty", "setPrototypeOf"]);

function unwrap(node) {
  return ["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"].includes(node?.type)
    ? unwrap(node.expression)
    : node;
}

/** Whether a variable is a collection that can be filled later. An array or object that lists its contents is a constant. */
function isMutableCollection({ init, id }, sourceCode) {
  const { typeAnnotation } = id;
  if (typeAnnotation !== undefined && /^:\s*readonly/i.test(sourceCode.getText(typeAnnotation))) return false;
  const value = unwrap(init);
  if (value?.type === "NewExpression") return collections.has(value.callee.name);
  if (value?.type === "ArrayExpression") return value.elements.length === 0;
  if (value?.type !== "ObjectExpression") return false;
  return value.properties.length === 0 || (typeAnnotation === undefined && value.properties.some(isEmptyCollection));
}

/** Whether a property is an empty collection, such as a cache. */
function isEmptyCollection({ value }) {
  const node = unwrap(value);
  return node?.type === "NewExpression" && collections.has(node.callee.name) && node.arguments.length === 0;
}

/** Whether an expression changes the object that an identifier names. */
function mutates(identifier) {
  const call = identifier.parent;
  if (call.type === "CallExpression" && call.arguments[0] === identifier) {
    return call.callee.object?.name === "Object" && objectMutators.has(call.callee.property.name);
  }
  let node = identifier;
  while (
    unwrap(node.parent) !== node.parent ||
    (node.parent.type === "MemberExpression" && node.parent.object === node)
  ) {
    node = node.parent;
  }
  const { parent } = node;
  if (unwrap(node).type !== "MemberExpression") return false;
  if (parent.type === "AssignmentExpression") return parent.left === node;
  if (parent.type === "UnaryExpression") return parent.operator === "delete";
  if (parent.type === "CallExpression") return parent.callee === node && mutators.has(unwrap(node).property.name);
  return parent.type === "UpdateExpression";
}

export default {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      state: "No module-level state: make it in a createX function, or declare it as a constant or Readonly.",
    },
  },
  create({ report, sourceCode }) {
    const fail = (node) => report({ node, messageId: "state" });
    return {
      Program() {
        const scope = sourceCode.scopeManager.globalScope.childScopes.find(({ type }) => type === "module");
        for (const { defs, references } of scope?.variables ?? []) {
          for (const { type, node, parent, name } of defs) {
            if (type !== "Variable" || parent.declare) continue;
            if (parent.kind === "let" || parent.kind === "var") fail(name);
            else if (isMutableCollection(node, sourceCode)) fail(name);
          }
          for (const { identifier } of references) {
            if (mutates(identifier)) fail(identifier);
          }
        }
      },
      "PropertyDefinition[static=true][readonly!=true]": fail,
    };
  },
};
