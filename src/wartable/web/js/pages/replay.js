// The replay page.
import "../elements/wt-header.js";
