/** Creates what the limits use of a socket: it can be paused and resumed, and says in `isRead` whether it is read. */
export function createFakeSocket() {
  const socket = {
    isRead: true,
    destroyed: false,
    pause: () => ((socket.isRead = false), socket as never),
    resume: () => ((socket.isRead = true), socket as never),
    isPaused: () => !socket.isRead,
  };
  return socket;
}
