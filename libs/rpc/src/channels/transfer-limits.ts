/** The maximum size of a message between services, in either direction. */
export const maxMessageBytes = 64 * 1024 * 1024;

/** The flow-control window in each direction, large enough to transfer a file of some megabytes without pauses. */
export const flowControlWindowBytes = 4 * 1024 * 1024;
