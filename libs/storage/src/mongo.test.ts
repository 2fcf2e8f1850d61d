import { describeComparison, describeMongo } from "@switchyard/embedded-mongo/suite";
import { startTestDatabase } from "./testing/database.ts";

// Runs the suite of the embedded store on a real MongoDB, which verifies the suite.
const { MONGOD_BINARY: binary = "", MONGODB_URI: uri = "" } = process.env;

if (uri !== "") {
  describeMongo("the MongoDB of MONGODB_URI", {
    embedded: false,
    plain: !/^mongodb\+srv:|@|[?&](tls|ssl)=true/.test(uri),
    provide: () => Promise.resolve({ uri, close: () => Promise.resolve() }),
  });
} else if (binary !== "") {
  describeMongo("the mongod of MONGOD_BINARY", { embedded: false, provide: () => startTestDatabase() });
  describeComparison(startTestDatabase);
} else {
  it.todo("the contract suite on a real MongoDB: set MONGOD_BINARY or MONGODB_URI");
}
