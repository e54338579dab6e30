// The table page.
import "../elements/wt-header.js";
