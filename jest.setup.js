import { types } from "node:util";

// Jest runs tests in another realm, where errors of Node.js itself are not instances of Error (jest#2549),
// and connect-node decides by `instanceof Error` what a refused connection is.
Object.defineProperty(Error, Symbol.hasInstance, {
  value(value) {
    return Function.prototype[Symbol.hasInstance].call(this, value) || (this === Error && types.isNativeError(value));
  },
});
