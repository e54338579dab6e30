import assert from "node:assert/strict";
import { test } from "node:test";

const { follow, QUANTILES, sizeOf } = await import("../../../src/wartable/web/js/lab/course.js");

const SEAT = {
  rich: [[-2000, 0.1], [-1000, 0.4], [1000, 0.45], [2000, 0.05]],
  poor: [[-1000, 0.4], [-500, 0.1], [1000, 0.5]],
  needs: 1000,
  needsWar: 2000,
};

/** Every way that so many rounds can go: the money at the end, and its chance. */
function every(seat, money, rounds, chance = 1) {
  if (rounds === 0 || money < seat.needs) return [[money, chance]];
  const results = money < seat.needsWar ? seat.poor : seat.rich;
  return results.flatMap(([net, share]) => every(seat, money + net, rounds - 1, chance * share));
}

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

for (const [bankroll, rounds] of [[1000, 1], [1500, 5], [3000, 6], [10000, 4]]) {
  test(`a course of ${rounds} rounds from ${bankroll} is what every way of it gives`, async () => {
    const ways = every(SEAT, bankroll, rounds);
    const share = (wanted) => ways.filter(([money]) => wanted(money)).reduce((sum, [, chance]) => sum + chance, 0);
    const course = await follow(SEAT, bankroll, rounds, () => true);
    near(course.ruined, share((money) => money < SEAT.needs));
    near(course.ahead, share((money) => money > bankroll));
    near(course.mean, ways.reduce((sum, [money, chance]) => sum + money * chance, 0));
    const sorted = [...new Set(ways.map(([money]) => money))].sort((a, b) => a - b);
    for (const [place, quantile] of QUANTILES.entries()) {
      const wanted = sorted.find((limit) => share((money) => money <= limit) >= quantile - 1e-12);
      assert.equal(course.lines[place].length, rounds + 1);
      assert.equal(course.lines[place].at(-1), Math.min(wanted, course.top));
    }
  });
}

test("a course that nobody waits for ends", async () => {
  let heard = 0;
  const course = await follow(SEAT, 10_000_000, 4000, () => ++heard < 1);
  assert.equal(course, null);
  assert.equal(heard, 1);
});

test("the size of a course tells how much there is to follow", () => {
  assert.equal(sizeOf(SEAT, 10_000, 10).step, 500);
  assert.equal(sizeOf({ ...SEAT, rich: [[-1001, 1]] }, 10_000, 10).step, 1);
});
