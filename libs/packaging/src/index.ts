export { bundle } from "./bundle.ts";
export { collectNotices } from "./notices.ts";
export { writePackage } from "./package-folder.ts";
