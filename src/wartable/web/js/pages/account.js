// The account page.
import "../elements/wt-header.js";
