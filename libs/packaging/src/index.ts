export { bundle } from "./bundle.ts";
export { noticesOf } from "./notices.ts";
export { writePackage, type Manifest } from "./package-folder.ts";
