export { bundle } from "./bundle.ts";
export { collectNotices } from "./notices.ts";
export { writePackage, type Manifest } from "./package-folder.ts";
