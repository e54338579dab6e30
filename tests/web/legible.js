// What a person cannot read or press in the page as it is now, one sentence each.
// The test runs this as one function in the page.
() => {
  const SLACK = 2;
  const CONTROL = "button, a[href], input:not([type=hidden]), select, summary";
  const LEAST = 24;
  // Only people's and tables' names are shortened; their titles have them whole.
  const SHORTENED = ".owner, .owner *, .table-title, .table-title *, .account *";
  // The chip's own print: the figure or the slip beside it says the amount.
  const PRINT = "wt-stack .value, wt-wheel text, wt-card text, .chip-picture text";
  // A small box is pressed anywhere to be shown large: what lies on it stays in front.
  const BEHIND = ".opener";
  // The touch area of the round's result takes in the word above it.
  const WIDER = ".net";
  // It comes into the window when it has the focus.
  const AWAY = ".skip:not(:focus)";

  const told = [];
  // What is asked of an element is asked of all that it lies in, which many have in common.
  const remembered = (ask) => {
    const known = new Map();
    return (element) => {
      if (!known.has(element)) known.set(element, ask(element));
      return known.get(element);
    };
  };
  const clipped = remembered((element) =>
    element !== null &&
    (getComputedStyle(element).clipPath !== "none" || element.matches(".visually-hidden") || clipped(element.parentElement)));
  const shown = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true }) && !clipped(element);
  const name = (element) => {
    const where = element.closest("wt-box")?.dataset.box;
    const what = element.tagName.toLowerCase() + [...element.classList].map((each) => `.${each}`).join("");
    const text = (element.dataset?.text ?? element.dataset?.card ?? element.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40);
    return `${what}${where ? ` of box ${where}` : ""} "${text}"`;
  };
  const layer = (element) => element.closest("dialog, .controls, wt-header, header") ?? document.body;

  // The felt is drawn a little turned at its sides, which only makes boxes around things larger.
  for (const box of document.querySelectorAll("wt-box")) box.style.setProperty("--side", "0");

  // A part: the element that it belongs to, and the rectangles that it is seen in.
  const parts = [];
  // What cuts off all that an element has in it: the nearest first, and whether it scrolls.
  const clips = remembered((element) => {
    if (element === null) return [];
    const { overflowX, overflowY } = getComputedStyle(element);
    const further = clips(element.parentElement);
    if (overflowX === "visible" && overflowY === "visible") return further;
    return [{ around: element, clip: element.getBoundingClientRect(), hides: ["hidden", "clip"].includes(overflowX) }, ...further];
  });
  const part = (element, rectangles) => {
    let seen = rectangles;
    for (const { around, clip, hides } of clips(element.parentElement)) {
      // What scrolls in its own region can be brought into sight.
      if (hides && !element.matches(SHORTENED) && seen.some((each) => each.left < clip.left - SLACK || each.right > clip.right + SLACK)) {
        told.push(`${name(element)} is cut off at a side by ${name(around).split(" ")[0]}.`);
      }
      seen = seen.map((each) => new DOMRect(
        Math.max(each.left, clip.left), Math.max(each.top, clip.top),
        Math.min(each.right, clip.right) - Math.max(each.left, clip.left), Math.min(each.bottom, clip.bottom) - Math.max(each.top, clip.top),
      ));
    }
    seen = seen.filter((each) => each.width > 0 && each.height > 0);
    if (seen.some((each) => each.left < -SLACK || each.right > innerWidth + SLACK)) told.push(`${name(element)} reaches beyond the window.`);
    if (seen.length > 0) parts.push({ element, seen, layer: layer(element) });
  };

  // Where the letters of a text are painted, line by line: a font may be given a taller line than its letters fill.
  const pen = document.createElement("canvas").getContext("2d");
  const letters = (element, text) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    const { fontStyle, fontWeight, fontFamily, textTransform } = getComputedStyle(element);
    pen.font = `${fontStyle} ${fontWeight} 100px ${fontFamily}`;
    const painted = pen.measureText(textTransform === "uppercase" ? text.data.toUpperCase() : text.data);
    const whole = painted.fontBoundingBoxAscent + painted.fontBoundingBoxDescent;
    const above = (painted.fontBoundingBoxAscent - painted.actualBoundingBoxAscent) / whole;
    const high = (painted.actualBoundingBoxAscent + painted.actualBoundingBoxDescent) / whole;
    return [...range.getClientRects()].map((each) => new DOMRect(each.x, each.y + above * each.height, each.width, high * each.height));
  };

  // What is printed on a spot stays on it.
  const within = (spot, { left, right, top, bottom }) => {
    const place = spot.getBoundingClientRect();
    const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
    const [aside, off] = [Math.max(x - left, right - x) / (place.width / 2), Math.max(y - top, bottom - y) / (place.height / 2)];
    return getComputedStyle(spot).borderTopLeftRadius.endsWith("%") ? Math.hypot(aside, off) <= 1 : Math.max(aside, off) <= 1;
  };

  for (const element of document.body.querySelectorAll("*")) {
    if (element.closest("script, style, defs, option") || element.matches(`${PRINT}, ${AWAY}`) || !shown(element)) continue;
    if (element instanceof SVGTextContentElement) {
      if (element.tagName !== "textPath") continue;
      const path = element.ownerSVGElement.querySelector(element.getAttribute("href"));
      if (element.getComputedTextLength() > path.getTotalLength() + 1) told.push(`${name(element)} is longer than its path.`);
      const matrix = element.getScreenCTM();
      const characters = Array.from({ length: element.getNumberOfChars() }, (_, place) => {
        const { x, y, width, height } = element.getExtentOfChar(place);
        const corner = new DOMPoint(x, y).matrixTransform(matrix);
        return new DOMRect(corner.x, corner.y, width * matrix.a, height * matrix.d);
      });
      part(element, characters);
    } else if (element.matches("wt-card")) {
      // The rank and suit in the corner are read; the rest of a card may be covered.
      const all = element.getBoundingClientRect();
      if (element.querySelector("svg.face") !== null) part(element, [new DOMRect(all.x, all.y, all.width * 0.3, all.height * 0.3)]);
    } else if (element.matches("wt-wheel svg")) {
      part(element, [element.getBoundingClientRect()]);
    } else if (element.matches("[data-text], .result, .slip, .pot")) {
      // A badge is as large as it is painted, without the border that only takes touches.
      const all = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      const [above, below] = [parseFloat(style.borderTopWidth), parseFloat(style.borderBottomWidth)];
      part(element, [new DOMRect(all.x, all.y + above, all.width, all.height - above - below)]);
    } else {
      const texts = [...element.childNodes].filter((each) => each.nodeType === Node.TEXT_NODE && each.data.trim() !== "");
      const lines = texts.flatMap((each) => letters(element, each));
      if (lines.length > 0) part(element, lines);
      if (element.closest(".print") && !lines.every((each) => within(element.closest(".spot"), each))) told.push(`${name(element)} reaches over the edge of its spot.`);
      if (element.matches(CONTROL) && !element.matches(`${BEHIND}, ${WIDER}`)) part(element, [element.getBoundingClientRect()]);
    }
  }

  const meet = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > SLACK && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > SLACK;
  parts.forEach((one, place) => {
    for (const other of parts.slice(place + 1)) {
      if (one.layer !== other.layer || !one.seen.some((a) => other.seen.some((b) => meet(a, b)))) continue;
      if (!one.element.contains(other.element) && !other.element.contains(one.element)) told.push(`${name(one.element)} and ${name(other.element)} lie on each other.`);
    }
  });

  const [left, top] = [scrollX, scrollY];
  for (const control of document.body.querySelectorAll(CONTROL)) {
    if (!shown(control) || control.matches(AWAY)) continue;
    // A link in a sentence is as high as its line.
    const inline = control.matches("a") && getComputedStyle(control).display === "inline";
    let place = control.getBoundingClientRect();
    if (!inline && (place.width < LEAST || place.height < LEAST)) told.push(`${name(control)} is only ${place.width.toFixed(0)} by ${place.height.toFixed(0)} pixels large.`);
    if (control.matches(BEHIND)) continue;
    // Wherever the page is scrolled to: the controls at the bottom stay in sight.
    const covers = [];
    for (const block of ["center", "start", "nearest"]) {
      control.scrollIntoView({ block, behavior: "instant" });
      place = control.getBoundingClientRect();
      const front = document.elementFromPoint(place.x + place.width / 2, place.y + place.height / 2);
      if (control.contains(front) || front?.closest("label")?.control === control) break;
      covers.push(front ?? document.body);
    }
    if (covers.length === 3) told.push(`${name(control)} is covered by ${name(covers[0])}.`);
  }
  scrollTo({ left, top, behavior: "instant" });
  for (const box of document.querySelectorAll("wt-box")) box.style.removeProperty("--side");
  return told;
}
