// The rules and odds page.
import "../elements/wt-header.js";
