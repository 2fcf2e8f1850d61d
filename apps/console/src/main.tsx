import "@mantine/core/styles.css";
import "./console.css";
import { createRoot } from "react-dom/client";
import { Console } from "./console.tsx";

const place = document.getElementById("console");
if (place !== null) createRoot(place).render(<Console />);
