// The lobby page.
import "../elements/wt-header.js";
