import "@mantine/core/styles.css";
import "./console.css";
import { createRoot } from "react-dom/client";
import { Console, getNonce } from "./console.tsx";

// The pages have their addresses below this one. The fragment may hold the code of a sign-in link, which is taken out later.
if (location.pathname === "/") history.replaceState(null, "", `/console${location.hash}`);

// What keeps the page still under a dialog is a style element as well; the package that creates it (get-nonce) reads this name.
Object.assign(globalThis, { __webpack_nonce__: getNonce() });

const place = document.getElementById("console");
if (place !== null) createRoot(place).render(<Console />);
