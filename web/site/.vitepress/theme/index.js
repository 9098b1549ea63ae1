import theme from "vitepress/theme-without-fonts";
import { LiveCode } from "./LiveCode.js";
import { SampleView } from "./SampleView.js";
import "./style.css";

/**
 * Makes the relative links of the page that the server sent absolute. They stay in the document
 * when the reader goes to a page in another folder.
 */
function makeAbsolute() {
  for (const link of document.querySelectorAll("#app a[href]"))
    if (/^\.{0,2}\/|^\w+(\/|\.html)/.test(link.getAttribute("href"))) {
      const { pathname, hash } = new URL(link.href);
      link.setAttribute("href", pathname + hash);
    }
}

export default {
  extends: theme,
  enhanceApp({ app }) {
    if (!import.meta.env.SSR) makeAbsolute();
    app.component("LiveCode", LiveCode);
    app.component("SampleView", SampleView);
  },
};
