/**
 * The attributes of an element that scrolls, whose name is that of its content: it can be reached and scrolled by keyboard, and a screen reader says
 * what it is. It is no landmark, of which a page with many tables would have too many.
 */
export function toScrolling(name: string) {
  return { tabIndex: 0, role: "group", "aria-label": name } as const;
}
