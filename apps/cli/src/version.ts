/** The version of this command line. */
export const version = "0.1.0";
