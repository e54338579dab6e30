// The fairness page.
import "../elements/wt-header.js";
