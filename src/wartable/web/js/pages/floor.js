// The floor page.
import "../elements/wt-header.js";
