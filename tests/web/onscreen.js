// What of the round a player does not see at once, without scrolling: missing, cut off or covered.
(wanted) => {
  const told = [];
  const name = (element) => `${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""}.${[...element.classList].join(".")} ${JSON.stringify(element.textContent.trim().slice(0, 30))}`;
  const felt = document.querySelector("wt-felt").getBoundingClientRect();

  // A part is free where its middle and its corners, a little inside, show nothing of another part.
  const free = (element, share) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    if (width === 0 || height === 0) return `${name(element)} is not shown.`;
    const room = element.closest("wt-felt") ? felt : { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    if (left < room.left - 1 || top < room.top - 1 || left + width > room.right + 1 || top + height > Math.min(room.bottom, innerHeight) + 1) return `${name(element)} reaches out of sight: ${Math.round(top)} to ${Math.round(top + height)} of ${Math.round(Math.min(room.bottom, innerHeight))}.`;
    for (const [x, y] of share) {
      const front = document.elementFromPoint(left + width * x, top + height * y);
      if (front !== null && !element.contains(front) && !front.contains(element) && !wanted.over.some((each) => front.closest(each))) return `${name(element)} is covered by ${name(front)}.`;
    }
    return null;
  };
  const CORNER = [[0.2, 0.12]]; // a card is read in its corner
  const CARD = [...CORNER, [0.8, 0.88], [0.5, 0.5]]; // nothing lies over the dealer's
  const ALL = [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.15], [0.5, 0.85]];
  const MIDDLE = [[0.5, 0.5]];

  const see = (selector, share, least = 1) => {
    const found = [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility({ visibilityProperty: true }));
    if (found.length < least) told.push(`Only ${found.length} of ${least} ${selector} are shown.`);
    for (const element of found) {
      const problem = free(element, share);
      if (problem !== null) told.push(problem);
    }
    return found;
  };

  const cards = [...see(".dealer [data-deal]", CARD, wanted.dealt), ...see("wt-box.mine [data-deal]", CORNER, wanted.dealt)];
  for (const card of cards) {
    const { height } = card.getBoundingClientRect();
    if (height < wanted.card) told.push(`${name(card)} is ${height.toFixed(1)} px high, less than ${wanted.card}.`);
  }
  see("wt-box.mine [data-spot=primary]", MIDDLE);
  see("wt-box.mine wt-stack:not(.over)", MIDDLE, wanted.stakes);
  see("wt-box.mine .result", ALL, wanted.results);
  see("#status, #result:not(:empty)", MIDDLE);
  if (wanted.results) see("#result:not(:empty)", MIDDLE); // the line that says it
  for (const line of document.querySelectorAll("#result:not(:empty)")) {
    const words = document.createRange();
    words.selectNodeContents(line);
    if (line.checkVisibility() && words.getClientRects().length > 1) told.push(`${name(line)} takes several lines.`);
  }
  see("#dock button, #dock input, .bar .buttons button, #balance", ALL, wanted.controls);
  see("wt-header .tools > :is(a, button)", ALL);
  if (wanted.wheel) see("wt-wheel[data-community] svg", MIDDLE);
  for (const line of document.querySelectorAll("wt-felt .payouts summary, wt-felt .payout-limit")) {
    const { top, bottom } = line.getBoundingClientRect();
    if (line.checkVisibility({ opacityProperty: true }) && top < felt.bottom - 1 && bottom > felt.bottom + 1) told.push(`${name(line)} is cut in its height.`);
    // The lower edge of the felt is round: a line may be cut at its sides.
    const words = document.createRange();
    words.selectNodeContents(line);
    for (const { left, right, top: upper, bottom: lower } of line.checkVisibility({ opacityProperty: true }) && bottom <= felt.bottom ? words.getClientRects() : []) {
      for (const x of [left + 1, right - 1]) {
        const front = document.elementFromPoint(x, (upper + lower) / 2);
        if (front !== null && !line.contains(front) && !wanted.over.some((each) => front.closest(each))) told.push(`${name(line)} is cut at its side by ${name(front)}.`);
      }
    }
  }
  for (const slip of document.querySelectorAll("wt-felt .slip")) {
    const texts = document.createTreeWalker(slip, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const at = texts.currentNode.data.indexOf("−");
      if (at < 0) continue;
      const [sign, amount] = [0, 1].map((place) => {
        const range = document.createRange();
        range.setStart(texts.currentNode, at + place);
        range.setEnd(texts.currentNode, at + place + 1);
        return range.getBoundingClientRect();
      });
      if (amount.top > sign.top + 4) told.push(`${name(slip)} has its minus on another line.`);
    }
  }
  const links = [...document.querySelectorAll("#head .button")].filter((each) => each.checkVisibility());
  if (new Set(links.map((each) => Math.round(each.getBoundingClientRect().top))).size > 1) told.push("The links above the felt are in several rows.");
  if (scrollY > 0 || document.querySelector("wt-felt").scrollTop > 0) told.push("It was scrolled.");
  return told;
}
