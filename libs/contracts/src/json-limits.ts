/**
 * The maximum number of values in a JSON text, counting lists and objects: as many as 1 MiB can contain, the maximum size of a body without a
 * file. A larger one contains a file; with small values instead, its parsing could take seconds and gigabytes.
 */
export const maxJsonValues = 512 * 1024;
