// What people are told of each event; telling.py explains the slots.
// Generated from the events: python -m wartable.server.http.typings src/wartable/web/js/types.js

/** @type {Record<string, string>} */
export const SENTENCES = {
  "joined": "{Player:join/joins} [at seat {seat}|the table] with {amount}.",
  "bought_in": "{Player:buy in/buys in} for {amount} more.",
  "cashed_out": "{Player:take/takes} {amount} off the table.",
  "departed": "{Player:leave/leaves} the table with {amount}.",
  "decks_received": "New cards are brought to the table.",
  "decks_removed": "The cards are taken away: {reason}.",
  "prepared": "{step}",
  "seed_sealed": "{Player:seal/seals} a seed for the next shuffle.",
  "chain_started": "The house commits to the links that will decide the cards.",
  "numbers_closed": "The list of numbers is closed. The order of the cards is being calculated.",
  "shoe_started": "The cards are shuffled: shoe {terms.number}.",
  "cut_offered": "The cut is offered to {player}.",
  "cut_refused": "{Player:refuse/refuses} the cut.",
  "cut_made": "[{Player:cut/cuts}|The dealer cuts the cards][: {position} cards go to the bottom].",
  "recut_ordered": "The floor orders another cut: {reason}.",
  "seed_opened": "{Player:open/opens} the sealed seed.",
  "shoe_loaded": "The cards are in the shoe.",
  "card_burned": "A card is burned unseen.",
  "bank_offered": "The bank is offered to {player}.",
  "bank_taken": "{Player:take the bank and post/takes the bank and posts} {amount}.",
  "bank_passed": "{Player:pass/passes} the bank.",
  "bank_untaken": "Nobody takes the bank, so no round is dealt.",
  "round_started": "Round {number}. Place your bets.",
  "side_bets_counted": "The side bets are counted.",
  "count_differed": "The side bets do not agree and are counted again ({accepted}).",
  "award_pending": "The {meter} meter award needs approval.",
  "award_approved": "The {meter} meter award is approved.",
  "meter_reset": "The house adds {amount} to the {meter} meter.",
  "cover_card_out": "The cover card is out: this is the last round of the shoe.",
  "shoe_ended": "The shoe has ended: {reason}. Its secret is now public.",
  "card_set_aside": "A card was exposed early and is set aside: {card}.",
  "drawn_in_error": "A card was drawn in error but not exposed. It will be the next card dealt.",
  "dealer_changed": "{dealer} is now dealing.",
  "reshuffle_ordered": "The cards will be reshuffled after this round: {reason}.",
  "table_idle": "The table is idle; the cards are spread face down.",
  "spread_turned_up": "The spread cards are turned face up.",
  "device_failed": "The shuffling device is out of order: {reason}.",
  "device_marked": "[mark=covered?The device is covered.|The device has an out-of-order sign.]",
  "device_repaired": "The device can be used again.",
  "method_changed": "The shuffling method of the next shoe is {method}.",
  "restricted": "[New limit: {limit}[ for {whom}] {value}.|Limit lifted: {limit}[ for {whom}].]",
  "jammed": "The shuffling device jammed.",
  "placed": "{Player:bet/bets} {amount} on box {box}, {wager}.",
  "withdrawn": "[{Player's} {wager} of {amount} on box {box} goes back: {gives_way_to:have/has} a {label:primary} there and the first claim to the spot.|{Player:take back/takes back} {amount} from box {box}, {wager}.]",
  "declined": "{Player:let/lets} others bet the tie on box {box}.",
  "bets_closed": "No more bets.",
  "returned": "Box {box}, {player's} {wager}: {amount} {outcome}.",
  "dealt": "[Box {box}|The {label:dealer}]: {card}.",
  "burned": "A card is burned.",
  "chosen": "[choice=war?{Player:go to war/goes to war}|{Player:surrender/surrenders}] on box {box}[by=player?| (decided by the {by}[; {called_by} called time])].",
  "matched": "The {banker} matches box {box} with {amount}.",
  "spun": "The wheel stops.[ Community symbol: {community}.][ Hot spot on box {hot_spot_box}: {hot_spot}.]",
  "meter_read": "The {meter} meter stands at {amount} and is paid.",
  "settled": "Box {box}: {player's} {wager} [returned {returned}|lost] ({outcome}).",
  "envy_paid": "{Player:get/gets} {amount} for {holder's} hand ({label:envy}).",
  "left": "{Player:leave/leaves} during the round.",
  "box_voided": "Box {box} was not dealt a card: its wagers are returned.",
  "round_voided": "The round is void ({reason}): all wagers are returned.",
  "closed": "The round is over."
};

/**
 * The words for the values of some fields.
 * @type {Record<string, Record<string, string>>}
 */
export const PHRASES = {
  "step": {
    "inspect": "The new cards are inspected.",
    "verify": "A floorperson verifies the cards.",
    "spread": "The cards are spread face up.",
    "view": "The players may look at the cards.",
    "turn": "The cards are turned face down.",
    "wash": "The cards are washed.",
    "stack": "The cards are stacked.",
    "riffle": "The cards are riffled."
  },
  "limit": {
    "box_max": "box maximum",
    "player_box_max": "box maximum per player",
    "boxes_per_player": "boxes per player",
    "players_per_box": "players per box",
    "primary_min": "minimum wager",
    "primary_max": "maximum wager",
    "tie_min": "minimum tie wager",
    "tie_max": "maximum tie wager",
    "wager_max": "maximum of any wager"
  },
  "hot_spot": {
    "jackpot_primary": "the primary jackpot",
    "jackpot_secondary": "the secondary jackpot"
  }
};

/** Events that are announced to everybody; others are announced only to the player concerned. */
export const ALOUD = new Set([
  "recut_ordered",
  "bank_untaken",
  "round_started",
  "count_differed",
  "award_pending",
  "cover_card_out",
  "card_set_aside",
  "drawn_in_error",
  "dealer_changed",
  "reshuffle_ordered",
  "table_idle",
  "device_failed",
  "device_marked",
  "jammed",
  "bets_closed",
  "spun",
  "box_voided",
  "round_voided"
]);

/**
 * What a record's reader is told of each incident.
 * @type {Record<string, string>}
 */
export const INCIDENTS = {
  "round_voided": "round voided",
  "card_set_aside": "card set aside",
  "box_voided": "box missed",
  "drawn_in_error": "card drawn in error",
  "dealer_changed": "change of dealer",
  "reshuffle_ordered": "reshuffle ordered",
  "recut_ordered": "recut ordered",
  "jammed": "jam",
  "ended": "shoe set aside",
  "player_left": "player left during a deal"
};

/**
 * An irregularity that staff report: what the button says, and the fields with their labels.
 * @typedef {object} Report
 * @property {string} type
 * @property {string} title
 * @property {[string, string][]} asks
 */

/** @type {Report[]} */
export const REPORTS = [
  {
    "type": "find_face_up",
    "title": "The next card is face up",
    "asks": []
  },
  {
    "type": "draw_in_error",
    "title": "A card was drawn in error",
    "asks": [
      [
        "exposed",
        "It was exposed"
      ]
    ]
  },
  {
    "type": "miss_box",
    "title": "A box was not dealt a card",
    "asks": [
      [
        "box",
        "Box"
      ]
    ]
  },
  {
    "type": "jam",
    "title": "The shuffler jammed",
    "asks": []
  }
];
