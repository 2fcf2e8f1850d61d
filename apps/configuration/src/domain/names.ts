export { characterCount, faultsOfName as nameFaults, foldName } from "@switchyard/text";
