import { read } from "./app.js";

read(new URLSearchParams(location.search).get("data")).then(
  (result) => {
    globalThis.result = result;
  },
  (error) => {
    globalThis.result = {
      error: `${error.name}: ${error.message}${error.hint ? ` (${error.hint})` : ""} ${error.cause ?? ""}`,
    };
  },
);
