// The history page.
import "../elements/wt-header.js";
