// Every message, event, move and state as the server sends it.
// Generated from the types: python -m wartable.server.http.typings src/wartable/web/js/types.js

export {};

/**
 * A player came to the table.
 * @typedef {object} Joined
 * @property {"joined"} type
 * @property {string} player
 * @property {number} amount
 * @property {number | null} seat
 */

/**
 * A player brought more money.
 * @typedef {object} BoughtIn
 * @property {"bought_in"} type
 * @property {string} player
 * @property {number} amount
 */

/**
 * A player took money off the table.
 * @typedef {object} CashedOut
 * @property {"cashed_out"} type
 * @property {string} player
 * @property {number} amount
 */

/**
 * A player left the table with the stack.
 * @typedef {object} Departed
 * @property {"departed"} type
 * @property {string} player
 * @property {number} amount
 */

/**
 * New cards are at the table; their age counts from when the first set was opened for use.
 * @typedef {object} DecksReceived
 * @property {"decks_received"} type
 * @property {string} by
 * @property {number} at_ms
 * @property {"inspected" | "inspected_and_shuffled" | "new" | "preinspected" | "preshuffled" | "shuffled"} condition
 * @property {ReadonlyArray<string>} sets
 * @property {number | null} opened_ms
 */

/**
 * The cards left the table, which needs others before the next round.
 * @typedef {object} DecksRemoved
 * @property {"decks_removed"} type
 * @property {string} reason
 */

/**
 * A step of the cards' preparation is done.
 * @typedef {object} Prepared
 * @property {"prepared"} type
 * @property {string} by
 * @property {"inspect" | "riffle" | "spread" | "stack" | "turn" | "verify" | "view" | "wash"} step
 * @property {string} batch
 */

/**
 * A player sealed a seed for the next shuffle.
 * @typedef {object} SeedSealed
 * @property {"seed_sealed"} type
 * @property {string} player
 * @property {string} seal
 */

/**
 * The house committed to links for the coming shoes of a batch; the root stays its secret.
 * @typedef {object} ChainStarted
 * @property {"chain_started"} type
 * @property {string} end
 * @property {number} links
 * @property {string} book
 * @property {string} owner
 * @property {"after_bets" | "on_deal" | "shoe"} order
 * @property {number} iterations
 * @property {string} batch
 * @property {string} root
 */

/**
 * A player gave a number for the cards that are decided next.
 * @typedef {object} NumberGiven
 * @property {"number_given"} type
 * @property {string} player
 * @property {string} number
 */

/**
 * The list of numbers that orders the cards, together with the next link, is closed.
 * @typedef {object} NumbersClosed
 * @property {"numbers_closed"} type
 * @property {ReadonlyArray<PlayerNumber>} numbers
 * @property {ReadonlyArray<CutRecord>} cuts
 * @property {string} heard
 */

/**
 * A link and the players' numbers decided the next cards; link and key stay secret.
 * @typedef {object} CardsDecided
 * @property {"cards_decided"} type
 * @property {Draw} draw
 * @property {string} link
 * @property {string} key
 */

/**
 * The cards are shuffled and the house committed to the seed, which stays its secret.
 * @typedef {object} ShoeStarted
 * @property {"shoe_started"} type
 * @property {Terms} terms
 * @property {string} commitment
 * @property {ReadonlyArray<Seal>} seals
 * @property {string} seed
 * @property {Bound | null} bound
 */

/**
 * The cut is offered to a player.
 * @typedef {object} CutOffered
 * @property {"cut_offered"} type
 * @property {string} player
 */

/**
 * A player refused the cut.
 * @typedef {object} CutRefused
 * @property {"cut_refused"} type
 * @property {string} player
 */

/**
 * The cards are cut; without a player, the dealer cut where the seed says.
 * @typedef {object} CutMade
 * @property {"cut_made"} type
 * @property {string | null} player
 * @property {number | null} position
 */

/**
 * The floor ordered another cut, by the last cutter or by the next one entitled.
 * @typedef {object} RecutOrdered
 * @property {"recut_ordered"} type
 * @property {string} by
 * @property {string} reason
 * @property {"last" | "next"} who
 */

/**
 * A player opened the sealed seed.
 * @typedef {object} SeedOpened
 * @property {"seed_opened"} type
 * @property {string} player
 * @property {string} seed
 */

/**
 * The stack is in the shoe; the cover card is from `low` to `high` cards deep.
 * @typedef {object} ShoeLoaded
 * @property {"shoe_loaded"} type
 * @property {string} by
 * @property {number | null} low
 * @property {number | null} high
 */

/**
 * A card was burned unseen before a round, for a new shoe or a new dealer.
 * @typedef {object} CardBurned
 * @property {"card_burned"} type
 * @property {"first" | "new_dealer"} why
 * @property {string} card
 */

/**
 * The bank is offered to a player.
 * @typedef {object} BankOffered
 * @property {"bank_offered"} type
 * @property {string} player
 */

/**
 * A player took the bank of the next round and posted an amount.
 * @typedef {object} BankTaken
 * @property {"bank_taken"} type
 * @property {string} player
 * @property {number} amount
 */

/**
 * A player declined the bank.
 * @typedef {object} BankPassed
 * @property {"bank_passed"} type
 * @property {string} player
 */

/**
 * Everybody declined the bank, so no round is dealt.
 * @typedef {object} BankUntaken
 * @property {"bank_untaken"} type
 */

/**
 * Betting for a round is open.
 * @typedef {object} RoundStarted
 * @property {"round_started"} type
 * @property {number} number
 * @property {number} at_ms
 */

/**
 * The side bets' chips match what the devices accepted and are in the inventory.
 * @typedef {object} SideBetsCounted
 * @property {"side_bets_counted"} type
 * @property {string} by
 * @property {number} progressive
 * @property {number} bonus_spin
 */

/**
 * The dealer's count is not what the devices accepted; dealing waits for another one.
 * @typedef {object} CountDiffered
 * @property {"count_differed"} type
 * @property {string} by
 * @property {number} progressive
 * @property {number} bonus_spin
 * @property {Readonly<Record<string, number>>} accepted
 */

/**
 * A meter took its share of the wagers; `carry` is the remainder below a minor unit.
 * @typedef {object} MeterFed
 * @property {"meter_fed"} type
 * @property {"primary" | "progressive" | "secondary"} meter
 * @property {number} amount
 * @property {number} carry
 */

/**
 * A meter gave back its share of void wagers; `carry` is the remainder below a minor unit.
 * @typedef {object} MeterUnfed
 * @property {"meter_unfed"} type
 * @property {"primary" | "progressive" | "secondary"} meter
 * @property {number} amount
 * @property {number} carry
 */

/**
 * A choice derived from the committed seeds: the wheel's stop or the hot spot.
 * @typedef {object} HouseChose
 * @property {"house_chose"} type
 * @property {string} label
 * @property {ReadonlyArray<string>} options
 * @property {ReadonlyArray<number>} weights
 * @property {number} result
 */

/**
 * A meter's award needs approval: by a floorperson or, without staff, by the platform.
 * @typedef {object} AwardPending
 * @property {"award_pending"} type
 * @property {"primary" | "progressive" | "secondary"} meter
 */

/**
 * A meter's award is approved.
 * @typedef {object} AwardApproved
 * @property {"award_approved"} type
 * @property {"primary" | "progressive" | "secondary"} meter
 * @property {string} by
 */

/**
 * The house put the reset amount on a won meter.
 * @typedef {object} MeterReset
 * @property {"meter_reset"} type
 * @property {"primary" | "progressive" | "secondary"} meter
 * @property {number} amount
 */

/**
 * The shared meters after their row `number`; `before` is restored if the round is void.
 * @typedef {object} MetersShown
 * @property {"meters_shown"} type
 * @property {number} number
 * @property {Readonly<Record<string, MeterState>>} meters
 * @property {Readonly<Record<string, MeterState>>} before
 */

/**
 * The cover card appeared at a box, or at the dealer (0), and was set aside.
 * @typedef {object} CoverCardOut
 * @property {"cover_card_out"} type
 * @property {number} box
 */

/**
 * These boxes' cards went to the discard rack, in this order.
 * @typedef {object} CardsCollected
 * @property {"cards_collected"} type
 * @property {ReadonlyArray<number>} boxes
 */

/**
 * The shoe of that number ended; its seed, or its last link, is now public.
 * @typedef {object} ShoeEnded
 * @property {"shoe_ended"} type
 * @property {string} reason
 * @property {number} number
 * @property {string} seed
 * @property {string} by
 * @property {string} record
 */

/**
 * The next card was visible before its turn and went to the discard rack.
 * @typedef {object} CardSetAside
 * @property {"card_set_aside"} type
 * @property {string} by
 * @property {"exposed" | "face_up"} why
 * @property {string} card
 */

/**
 * A card was drawn in error but not exposed; it is the next card dealt.
 * @typedef {object} DrawnInError
 * @property {"drawn_in_error"} type
 * @property {string} by
 */

/**
 * Another dealer is at the table.
 * @typedef {object} DealerChanged
 * @property {"dealer_changed"} type
 * @property {string} dealer
 */

/**
 * The cards will be reshuffled after the round.
 * @typedef {object} ReshuffleOrdered
 * @property {"reshuffle_ordered"} type
 * @property {string} by
 * @property {string} reason
 */

/**
 * Nobody plays: the cards are out of the shoe and spread face down.
 * @typedef {object} TableIdle
 * @property {"table_idle"} type
 * @property {string} by
 */

/**
 * The spread cards of the idle table lie face up.
 * @typedef {object} SpreadTurnedUp
 * @property {"spread_turned_up"} type
 * @property {string} player
 */

/**
 * The device cannot be used.
 * @typedef {object} DeviceFailed
 * @property {"device_failed"} type
 * @property {string} by
 * @property {string} reason
 */

/**
 * The device is covered or carries an out-of-order sign.
 * @typedef {object} DeviceMarked
 * @property {"device_marked"} type
 * @property {string} by
 * @property {"covered" | "signed"} mark
 */

/**
 * The device can be used again.
 * @typedef {object} DeviceRepaired
 * @property {"device_repaired"} type
 * @property {string} by
 */

/**
 * The next shoe is shuffled by another method.
 * @typedef {object} MethodChanged
 * @property {"method_changed"} type
 * @property {string} by
 * @property {"batches" | "continuous" | "every_round" | "shoe"} method
 * @property {string} approval
 */

/**
 * A limit of the table, or of one player on a box, holds for new wagers; 0 lifts it.
 * @typedef {object} Restricted
 * @property {"restricted"} type
 * @property {string} by
 * @property {"box_max" | "boxes_per_player" | "player_box_max" | "players_per_box" | "primary_max" | "primary_min" | "tie_max" | "tie_min" | "wager_max"} limit
 * @property {number} value
 * @property {string} whom
 */

/**
 * The shuffling device jammed.
 * @typedef {object} Jammed
 * @property {"jammed"} type
 * @property {string} by
 */

/**
 * Betting is open.
 * @typedef {object} Opened
 * @property {"opened"} type
 * @property {Readonly<Record<number, string>>} seats
 * @property {string | null} banker
 * @property {number | null} bank
 * @property {number | null} bank_stack
 */

/**
 * Chips went from a player to a wager.
 * @typedef {object} Placed
 * @property {"placed"} type
 * @property {string} player
 * @property {number} box
 * @property {"bonus_spin" | "primary" | "progressive" | "tie" | "war" | "war_tie"} wager
 * @property {number} amount
 */

/**
 * A wager went back before bets closed: withdrawn, or displaced by one with the first claim.
 * @typedef {object} Withdrawn
 * @property {"withdrawn"} type
 * @property {string} player
 * @property {number} box
 * @property {"bonus_spin" | "primary" | "progressive" | "tie" | "war" | "war_tie"} wager
 * @property {number} amount
 * @property {string | null} gives_way_to
 */

/**
 * A player left the box's tie spot to others.
 * @typedef {object} Declined
 * @property {"declined"} type
 * @property {string} player
 * @property {number} box
 */

/**
 * No more bets.
 * @typedef {object} BetsClosed
 * @property {"bets_closed"} type
 */

/**
 * The part of a wager that the bank does not cover or match went back.
 * @typedef {object} Returned
 * @property {"returned"} type
 * @property {string} player
 * @property {number} box
 * @property {"bonus_spin" | "primary" | "progressive" | "tie" | "war" | "war_tie"} wager
 * @property {"uncovered" | "unmatched"} outcome
 * @property {number} amount
 */

/**
 * A card was dealt face up to a box, or to the dealer, who is 0.
 * @typedef {object} Dealt
 * @property {"dealt"} type
 * @property {"original" | "war"} deal
 * @property {number} box
 * @property {string} card
 */

/**
 * A card left the shoe unseen.
 * @typedef {object} Burned
 * @property {"burned"} type
 * @property {string} card
 */

/**
 * A tied hand goes to war or surrenders; `by` says who decided, `called_by` who called time.
 * @typedef {object} Chosen
 * @property {"chosen"} type
 * @property {string} player
 * @property {number} box
 * @property {"surrender" | "war"} choice
 * @property {"platform" | "player" | "seated"} by
 * @property {string | null} called_by
 */

/**
 * The banker matched a war or war-tie wager with new money.
 * @typedef {object} Matched
 * @property {"matched"} type
 * @property {string} player
 * @property {number} box
 * @property {"bonus_spin" | "primary" | "progressive" | "tie" | "war" | "war_tie"} wager
 * @property {number} amount
 */

/**
 * The wheel stopped.
 * @typedef {object} Spun
 * @property {"spun"} type
 * @property {number | null} hot_spot_box
 * @property {string | null} hot_spot
 * @property {string | null} community
 */

/**
 * A meter was read for the winner whose turn it is.
 * @typedef {object} MeterRead
 * @property {"meter_read"} type
 * @property {"primary" | "progressive" | "secondary"} meter
 * @property {number} amount
 */

/**
 * A wager is decided: its outcome, and everything that goes back to the player.
 * @typedef {object} Settled
 * @property {"settled"} type
 * @property {string} player
 * @property {number} box
 * @property {"bonus_spin" | "primary" | "progressive" | "tie" | "war" | "war_tie"} wager
 * @property {string} outcome
 * @property {number} returned
 */

/**
 * A progressive wager was paid for another player's qualifying hand.
 * @typedef {object} EnvyPaid
 * @property {"envy_paid"} type
 * @property {string} player
 * @property {number} box
 * @property {string} holder
 * @property {number} holder_box
 * @property {number} amount
 */

/**
 * A player left the table.
 * @typedef {object} Left
 * @property {"left"} type
 * @property {string} player
 */

/**
 * A box got no card, and its wagers went back.
 * @typedef {object} BoxVoided
 * @property {"box_voided"} type
 * @property {number} box
 * @property {string | null} by
 */

/**
 * The round does not count: every wager went back and every payment was reversed.
 * @typedef {object} RoundVoided
 * @property {"round_voided"} type
 * @property {string} reason
 * @property {string | null} by
 */

/**
 * The last settlement is done.
 * @typedef {object} Closed
 * @property {"closed"} type
 */

/**
 * A wager may be made or increased by these amounts.
 * @typedef {object} MayBet
 * @property {"may_bet"} type
 * @property {string} player
 * @property {number} box
 * @property {"bonus_spin" | "primary" | "progressive" | "tie" | "war" | "war_tie"} wager
 * @property {Amounts} amounts
 */

/**
 * A wager may be taken back.
 * @typedef {object} MayWithdraw
 * @property {"may_withdraw"} type
 * @property {string} player
 * @property {number} box
 * @property {"bonus_spin" | "primary" | "progressive" | "tie" | "war" | "war_tie"} wager
 */

/**
 * The box's tie spot may be left to others.
 * @typedef {object} MayDecline
 * @property {"may_decline"} type
 * @property {string} player
 * @property {number} box
 */

/**
 * A tied hand may surrender, or go to war with one of these tie wagers or none.
 * @typedef {object} MayChoose
 * @property {"may_choose"} type
 * @property {string} player
 * @property {number} box
 * @property {"surrender" | "war"} choice
 * @property {Amounts | null} war_tie
 */

/**
 * The player may leave, but at once loses this much in wagers that are not decided yet.
 * @typedef {object} MayLeave
 * @property {"may_leave"} type
 * @property {string} player
 * @property {number} forfeits
 */

/**
 * The offered bank may be taken: the amounts to post, and one that leaves enough to match.
 * @typedef {object} MayBank
 * @property {"may_bank"} type
 * @property {string} player
 * @property {Amounts} amounts
 * @property {number} suggested
 */

/**
 * The connection now follows this table, or the lobby, as this account.
 * @typedef {object} Welcome
 * @property {"welcome"} type
 * @property {number} at_ms
 * @property {string | null} name
 * @property {"admin" | "auditor" | "dealer" | "floor" | "player" | null} role
 * @property {string | null} table
 * @property {string | null} book
 * @property {string | null} digest
 * @property {number} number
 */

/**
 * The public view of the whole table after this row.
 * @typedef {object} Snapshot
 * @property {"snapshot"} type
 * @property {string} table
 * @property {number} number
 * @property {Table} state
 */

/**
 * The public part of one row of the journal.
 * @typedef {object} Happened
 * @property {"happened"} type
 * @property {string} table
 * @property {number} number
 * @property {number} at_ms
 * @property {ReadonlyArray<Event>} events
 */

/**
 * Whether the table takes new wagers from the player; if not, what is disabled and why.
 * @typedef {object} Wagering
 * @property {"wagering"} type
 * @property {"book" | "gaming" | "player" | "table" | null} disabled
 * @property {string} sentence
 */

/**
 * What the table awaits after this row, the deadline, and your moves, with prices of choices.
 * @typedef {object} Awaited
 * @property {"awaited"} type
 * @property {string} table
 * @property {number} number
 * @property {ReadonlyArray<Due>} due
 * @property {number | null} until_ms
 * @property {ReadonlyArray<Move>} moves
 * @property {ReadonlyArray<Price>} prices
 * @property {ReadonlyArray<string>} ready
 */

/**
 * The command was carried out as this row of the table's journal.
 * @typedef {object} Accepted
 * @property {"accepted"} type
 * @property {string} id
 * @property {number} number
 */

/**
 * The command was not carried out: why, and when it was refused.
 * @typedef {object} RefusedCommand
 * @property {"refused"} type
 * @property {string} id
 * @property {string} code
 * @property {string} sentence
 * @property {number} at_ms
 */

/**
 * The requested price, as the round stands after this row.
 * @typedef {object} Priced
 * @property {"priced"} type
 * @property {string} id
 * @property {number} number
 * @property {Price} price
 */

/**
 * The answer to a ping.
 * @typedef {object} Pong
 * @property {"pong"} type
 * @property {string} id
 * @property {number} at_ms
 */

/**
 * The reality check: how long this session has lasted and what it won or lost.
 * @typedef {object} Reality
 * @property {"reality"} type
 * @property {number} minutes
 * @property {number} net
 */

/**
 * The shared tables, with live counts and meters.
 * @typedef {object} Lobby
 * @property {"lobby"} type
 * @property {number} at_ms
 * @property {number} connected
 * @property {ReadonlyArray<TableCard>} tables
 */

/**
 * Something that the table awaits: from whom, and for which step, box or batch.
 * @typedef {object} Due
 * @property {"approval" | "bank" | "bets" | "cards" | "choice" | "count" | "cut" | "decks" | "device" | "list" | "load" | "number" | "players" | "prepare" | "proceed" | "shuffle" | "start" | "taker"} what
 * @property {string | null} player
 * @property {number | null} box
 * @property {string} step
 * @property {string} batch
 */

/**
 * An account as its owner sees it.
 * @typedef {object} Me
 * @property {string} name
 * @property {"admin" | "auditor" | "dealer" | "floor" | "player"} role
 * @property {"deposited" | "play"} money
 * @property {Readonly<Record<string, number>>} holds
 * @property {number} session_minutes
 * @property {number} session_net
 * @property {number} excluded_until_ms
 * @property {ReadonlyArray<LimitShown>} limits
 * @property {string} display
 * @property {boolean} guest
 * @property {number} codes
 * @property {boolean} reality_due
 */

/**
 * Who is signed in; the token is also in the cookie, and only a guest gets a password.
 * @typedef {object} Signed
 * @property {string} name
 * @property {"admin" | "auditor" | "dealer" | "floor" | "player"} role
 * @property {string} token
 * @property {string | null} password
 */

/**
 * An open table.
 * @typedef {object} OpenedTable
 * @property {string} name
 * @property {string} book
 * @property {string} digest
 */

/**
 * A significant event: who, when, what, to whom, why, and the value before and after.
 * @typedef {object} SignificantEvent
 * @property {number} number
 * @property {number} at_ms
 * @property {string} actor
 * @property {string} kind
 * @property {string} subject
 * @property {string} reason
 * @property {string} before
 * @property {string} after
 */

/**
 * Something that somebody disabled, when and why.
 * @typedef {object} Closure
 * @property {"book" | "gaming" | "player" | "table"} scope
 * @property {string} name
 * @property {string} actor
 * @property {number} at_ms
 * @property {string} reason
 */

/**
 * A summary of a rule book.
 * @typedef {object} BookShown
 * @property {string} name
 * @property {string} title
 * @property {string} differs
 * @property {string} version
 * @property {string} digest
 * @property {number} decks
 * @property {number} boxes
 * @property {Readonly<Record<string, string>>} labels
 */

/**
 * A rule book as its page shows it, with the limits of the house's tables.
 * @typedef {object} BookPage
 * @property {string} name
 * @property {string} title
 * @property {string} differs
 * @property {string} version
 * @property {string} digest
 * @property {Readonly<Record<string, string>>} document
 * @property {string} decks_in_use
 * @property {ReadonlyArray<string>} burns
 * @property {ReadonlyArray<ClauseShown>} notices
 * @property {ReadonlyArray<string>} ranks
 * @property {ReadonlyArray<Term>} glossary
 * @property {Readonly<Record<string, any>>} rules
 * @property {ReadonlyArray<WagerShown>} wagers
 * @property {WheelShown | null} wheel
 * @property {ReadonlyArray<Pay>} paytable
 * @property {ReadonlyArray<Ending>} outcomes
 * @property {string} payout_limit
 * @property {Readonly<Record<string, string>>} printed_edges
 * @property {ReadonlyArray<DocumentPart>} sections
 * @property {Readonly<Record<string, Reading>>} readings
 */

/**
 * The book in force at a table: its plain values, and what the felt says about it.
 * @typedef {object} TableBook
 * @property {string} table
 * @property {string} differs
 * @property {string} operator
 * @property {boolean} inscribed
 * @property {string} digest
 * @property {number} decks
 * @property {string} decks_in_use
 * @property {ReadonlyArray<string>} batches
 * @property {boolean} staffed
 * @property {number} community
 * @property {number} boxes_in_play
 * @property {Readonly<Record<string, any>>} rules
 * @property {ReadonlyArray<WagerShown>} wagers
 * @property {WheelShown | null} wheel
 * @property {ReadonlyArray<Pay>} paytable
 * @property {ReadonlyArray<string>} inscription
 * @property {string} war_printed
 * @property {string} payout_limit
 * @property {Readonly<Record<string, ReadonlyArray<string>>>} clauses
 * @property {string} layout
 * @property {ReadonlyArray<Assumption>} assumptions
 */

/**
 * A page of rounds, newest first, and where the next page begins, if there is one.
 * @typedef {object} Rounds
 * @property {ReadonlyArray<OwnRound>} rounds
 * @property {string | null} after
 */

/**
 * The totals of rounds; the time counts from each round's first wager to its end.
 * @typedef {object} Total
 * @property {string} book
 * @property {number} rounds
 * @property {number} played_ms
 * @property {number} staked
 * @property {number} returned
 * @property {number} banked
 * @property {number} net
 * @property {number} best
 * @property {number} worst
 */

/**
 * A round to replay on the felt: the table before it, and the round's rows.
 * @typedef {object} Replay
 * @property {boolean} replay
 * @property {Table} before
 * @property {Recalled} round
 * @property {ReadonlyArray<string>} burned
 */

/**
 * A page of finished shoes, oldest first, and where the next page, of older ones, begins.
 * @typedef {object} Shoes
 * @property {string} table
 * @property {Shoe | null} current
 * @property {VerifyRecord} record
 * @property {number | null} after
 */

/**
 * What a member of staff may do, at tables and in the house, and the open tables.
 * @typedef {object} FloorView
 * @property {string} name
 * @property {"admin" | "auditor" | "dealer" | "floor" | "player"} role
 * @property {ReadonlyArray<"admin" | "auditor" | "dealer" | "floor" | "player">} roles
 * @property {ReadonlyArray<string>} books
 * @property {ReadonlyArray<string>} rights
 * @property {ReadonlyArray<string>} commands
 * @property {ReadonlyArray<string>} attended
 * @property {ReadonlyArray<FloorTable>} tables
 * @property {ReadonlyArray<Closure>} closures
 * @property {ReadonlyArray<string>} steps
 * @property {ReadonlyArray<string>} card_moves
 * @property {number} disputes
 * @property {number} at_ms
 * @property {ReadonlyArray<PageLink>} pages
 */

/**
 * An account as an administrator sees it.
 * @typedef {object} AccountShown
 * @property {string} name
 * @property {"admin" | "auditor" | "dealer" | "floor" | "player"} role
 * @property {string} money
 * @property {number} opened_ms
 * @property {number} excluded_until_ms
 * @property {number} locked_until_ms
 */

/**
 * A set of cards, and the table at which it is in use.
 * @typedef {object} CardsShown
 * @property {CardSet} cards
 * @property {string | null} in_use
 */

/**
 * Who is excluded now, and the limits in force.
 * @typedef {object} Protected
 * @property {ReadonlyArray<ExclusionShown>} excluded
 * @property {ReadonlyArray<LimitInForce>} limits
 */

/**
 * What stands behind a table: approvals, what its operator set, and each action's clauses.
 * @typedef {object} TableSheet
 * @property {string} name
 * @property {string} book
 * @property {string} title
 * @property {string} digest
 * @property {string} operator
 * @property {boolean} inscribed
 * @property {string} layout
 * @property {string} approval
 * @property {Readonly<Record<string, string>>} own
 * @property {ReadonlyArray<string>} inscription
 * @property {string} payout_limit
 * @property {Readonly<Record<string, ReadonlyArray<ClauseShown>>>} actions
 * @property {Filed} filed
 */

/**
 * An award that waits for approval: the evidence, and what approving it would pay.
 * @typedef {object} AwardShown
 * @property {string} table
 * @property {number} round
 * @property {string} meter
 * @property {number} before
 * @property {number} after
 * @property {Readonly<Record<number, ReadonlyArray<string>>>} cards
 * @property {ReadonlyArray<number>} lamps
 * @property {number | null} hot_spot
 * @property {string | null} symbol
 * @property {string | null} community
 * @property {ReadonlyArray<AwardShare>} shares
 * @property {string} approved_by
 */

/**
 * The form of a new table: its fields, what is on file for the book, and what must be shown.
 * @typedef {object} TableForm
 * @property {ReadonlyArray<FormField>} fields
 * @property {boolean} layout_approval
 * @property {ReadonlyArray<string>} approval_methods
 * @property {string} agreement
 * @property {Filed} filed
 * @property {Readonly<Record<string, string>>} clauses
 */

/**
 * What a table would be: the edge of each wager, its felt, and why it may not open yet.
 * @typedef {object} Preview
 * @property {Readonly<Record<string, number>>} edges
 * @property {Readonly<Record<string, number>>} book_edges
 * @property {ReadonlyArray<string>} inscription
 * @property {string} payout_limit
 * @property {ReadonlyArray<string>} problems
 * @property {Readonly<Record<string, string>>} gifts
 */

/**
 * A report on a period; liability is as of the period's end.
 * @typedef {object} HouseReport
 * @property {Period} period
 * @property {boolean} active
 * @property {number} rounds
 * @property {number} void
 * @property {number} unfinished
 * @property {number} deposited
 * @property {number} withdrawn
 * @property {number} corrected
 * @property {number} house
 * @property {number} put_on_meters
 * @property {ReadonlyArray<ReportLine>} lines
 * @property {Readonly<Record<string, number>>} liability
 * @property {ReadonlyArray<Significant>} large_wins
 * @property {Readonly<Record<string, number>>} events
 * @property {ReadonlyArray<Significant>} significant
 * @property {ReadonlyArray<BankedRound>} banked
 * @property {ReadonlyArray<MeterLine>} meters
 * @property {ReadonlyArray<DayLine>} days
 */

/**
 * A wager's return at a book or a table: theory, actual, the band, and what it calls for.
 * @typedef {object} ReturnLine
 * @property {"book" | "table"} by
 * @property {string} name
 * @property {string} wager
 * @property {number} rounds
 * @property {number} staked
 * @property {number} net
 * @property {number} theory
 * @property {number} actual
 * @property {number} low
 * @property {number} high
 * @property {number} off
 * @property {boolean} judged
 * @property {"fine" | "investigate" | "watch"} state
 */

/**
 * A dispute with what the round cost and returned, as staff see it.
 * @typedef {object} DisputeShown
 * @property {Dispute} dispute
 * @property {RoundResult | null} result
 */

/**
 * The running program, and the approval that it is compared with.
 * @typedef {object} ProgramShown
 * @property {string} version
 * @property {string} running
 * @property {ReadonlyArray<string>} approved
 * @property {string} by
 * @property {number} at_ms
 * @property {string} reason
 */

/**
 * An operator's key by its name, and whether it still works.
 * @typedef {object} KeyShown
 * @property {string} name
 * @property {boolean} holds
 */

/**
 * A backup in the house's folder.
 * @typedef {object} BackupShown
 * @property {string} name
 * @property {number} bytes
 * @property {number} at_ms
 */

/**
 * What the lab's page asks about a book.
 * @typedef {object} LabForm
 * @property {string} name
 * @property {string} title
 * @property {number} decks
 * @property {string} edge_holder
 * @property {number | null} meter
 * @property {ReadonlyArray<LabOption>} options
 * @property {ReadonlyArray<LabWager>} wagers
 */

/**
 * The house as an administrator watches it; `private` counts the open private tables.
 * @typedef {object} Watched
 * @property {number} at_ms
 * @property {string} server
 * @property {ReadonlyArray<ServerShown>} servers
 * @property {ReadonlyArray<TableShown>} tables
 * @property {number} private
 * @property {number} connections
 * @property {Rates} rates
 * @property {DatabaseShown} database
 */

/**
 * A player's number for one draw.
 * @typedef {object} PlayerNumber
 * @property {string} player
 * @property {string} number
 */

/**
 * How many cards were lifted, and by whom; without a player the dealer cut by the seed.
 * @typedef {object} CutRecord
 * @property {string | null} player
 * @property {number | null} position
 */

/**
 * One use of a link, which decides the cards from the place `first` on.
 * @typedef {object} Draw
 * @property {number} first
 * @property {number} choices
 * @property {number} round_number
 * @property {number} cuts
 * @property {ReadonlyArray<PlayerNumber>} numbers
 */

/**
 * What a shoe is: its table, its number there, the method, the decks and the batch.
 * @typedef {object} Terms
 * @property {string} table
 * @property {number} number
 * @property {"batches" | "continuous" | "every_round" | "shoe"} method
 * @property {number} decks
 * @property {string} batch
 */

/**
 * The hash of a seed that a player keeps secret until the cut is made.
 * @typedef {object} Seal
 * @property {string} player
 * @property {string} seal
 */

/**
 * What the commitment of a shoe covers besides its terms.
 * @typedef {object} Bound
 * @property {string} book
 * @property {"after_bets" | "on_deal" | "shoe"} order
 * @property {string} owner
 * @property {number} iterations
 * @property {number | null} cut_min
 * @property {string} deal_order
 * @property {number} burn_first
 * @property {number} burn_new_dealer
 * @property {number} burn_war
 * @property {string} burn_war_when
 * @property {number | null} cover_low
 * @property {number | null} cover_high
 * @property {ReadonlyArray<Label>} labels
 * @property {string} chain
 * @property {number} links
 * @property {number} used
 * @property {string} anchor
 * @property {string} before
 */

/**
 * A meter's display and the totals that account for every cent of it.
 * @typedef {object} MeterState
 * @property {number} shown
 * @property {number} carry
 * @property {number} fed
 * @property {number} seeded
 * @property {number} paid
 */

/**
 * The amounts that a wager may have: a list of them, or a range in steps.
 * @typedef {object} Amounts
 * @property {number} min
 * @property {number} max
 * @property {number} step
 * @property {ReadonlyArray<number>} only
 */

/**
 * Everything about one table after the events so far.
 * @typedef {object} Table
 * @property {Readonly<Record<string, Guest>>} guests
 * @property {number} arrivals
 * @property {"batches" | "continuous" | "every_round" | "shoe"} method
 * @property {Decks | null} decks
 * @property {boolean} idle
 * @property {boolean} spread_up
 * @property {number} shoes
 * @property {ReadonlyArray<Seal>} seals
 * @property {Readonly<Record<string, LinkChain>>} chains
 * @property {boolean} undecided
 * @property {ReadonlyArray<PlayerNumber>} numbers
 * @property {boolean} numbered
 * @property {boolean} numbers_closed
 * @property {Shoe | null} shoe
 * @property {Shoe | null} stored
 * @property {number} shoe_rounds
 * @property {string} last_batch
 * @property {Shoe | null} finished
 * @property {CutOffer} cut
 * @property {number | null} cover_box
 * @property {string | null} cover_player
 * @property {string | null} reshuffle
 * @property {boolean} reshuffled_by_floor
 * @property {string | null} dealer
 * @property {boolean} dealer_burn_due
 * @property {string | null} device_failed
 * @property {"covered" | "signed" | null} device_mark
 * @property {Readonly<Record<string, number>>} restrictions
 * @property {Readonly<Record<string, number>>} player_box_maximums
 * @property {Bank} bank
 * @property {Readonly<Record<string, MeterState>>} meters
 * @property {Readonly<Record<string, MeterState>>} meters_before
 * @property {"primary" | "progressive" | "secondary" | null} award
 * @property {boolean} counted
 * @property {boolean} miscounted
 * @property {number} rounds
 * @property {Round | null} round
 */

/**
 * What a choice stakes, what goes back before a war card, and what the hand then nets.
 * @typedef {object} Price
 * @property {number} box
 * @property {"surrender" | "war"} choice
 * @property {number} war_tie
 * @property {number} adds
 * @property {number} back
 * @property {number} won
 * @property {number} tied
 * @property {number} lost
 * @property {number | null} matched
 * @property {boolean} sure
 */

/**
 * A table in the lobby.
 * @typedef {object} TableCard
 * @property {string} name
 * @property {string} book
 * @property {string} title
 * @property {string} differs
 * @property {string} digest
 * @property {number} decks
 * @property {string} decks_in_use
 * @property {boolean} staffed
 * @property {number} seats
 * @property {boolean} backline
 * @property {number} seated
 * @property {number} guests
 * @property {number} bots
 * @property {number} watching
 * @property {number} rounds
 * @property {string} awaits
 * @property {number} minimum
 * @property {number | null} maximum
 * @property {number | null} ceiling
 * @property {Readonly<Record<string, number>>} meters
 * @property {number} free_places
 * @property {number | null} betting_ms
 * @property {string | null} closed
 * @property {string | null} reason
 * @property {string | null} warning
 * @property {ReadonlyArray<LastRound>} last
 */

/**
 * A limit in force, how much of it is used, and the player's looser limit to come.
 * @typedef {object} LimitShown
 * @property {"deposit_day" | "deposit_month" | "deposit_week" | "loss_day" | "loss_month" | "loss_week" | "minutes_day"} kind
 * @property {number | null} amount
 * @property {number} used
 * @property {number | null} next_amount
 * @property {number | null} next_from_ms
 */

/**
 * A clause in our words, with the readings it rests on.
 * @typedef {object} ClauseShown
 * @property {string} id
 * @property {string} rule
 * @property {ReadonlyArray<string>} readings
 */

/**
 * A word of a document (`*`: all of its words), what it means, and where that is stated.
 * @typedef {object} Term
 * @property {string} term
 * @property {string} meaning
 * @property {string} source
 */

/**
 * A wager that the book offers, as a page needs it: its spot, sizes and meters.
 * @typedef {object} WagerShown
 * @property {"bonus_spin" | "primary" | "progressive" | "tie" | "war" | "war_tie"} kind
 * @property {string} label
 * @property {number} label_words
 * @property {boolean} before_deal
 * @property {boolean} side_bet
 * @property {boolean} by_wheel
 * @property {ReadonlyArray<number>} denominations
 * @property {Readonly<Record<string, any>>} meters
 */

/**
 * The wheel of a book: the card that turns it in words, and every stop's exact chance.
 * @typedef {object} WheelShown
 * @property {ReadonlyArray<string>} words
 * @property {Chance} trigger
 * @property {Readonly<Record<string, Chance>>} hot_spot
 * @property {Readonly<Record<string, Chance>>} community
 * @property {Readonly<Record<string, number>>} community_pays
 */

/**
 * One line of the paytable: a wager, its winning line if it has several, and what it pays.
 * @typedef {object} Pay
 * @property {string} wager
 * @property {string} label
 * @property {string} line
 * @property {string} pays
 * @property {ReadonlyArray<string>} clauses
 * @property {ReadonlyArray<string>} readings
 */

/**
 * A way that a wager can end, in the book's words.
 * @typedef {object} Ending
 * @property {string} wager
 * @property {string} label
 * @property {string} outcome
 * @property {string} words
 * @property {ReadonlyArray<string>} clauses
 */

/**
 * A section of the document with its clauses.
 * @typedef {object} DocumentPart
 * @property {string} title
 * @property {ReadonlyArray<ClauseShown>} clauses
 */

/**
 * How Wartable interprets an unclear passage of a document.
 * @typedef {object} Reading
 * @property {string} id
 * @property {string} document
 * @property {string} where
 * @property {string} problem
 * @property {string} reading
 * @property {string} effect
 * @property {string} defines
 * @property {string} choice
 * @property {string} clauses
 */

/**
 * A value that no clause of the document supports: its key, and the readings it rests on.
 * @typedef {object} Assumption
 * @property {string} key
 * @property {string} value
 * @property {string} note
 * @property {ReadonlyArray<string>} readings
 */

/**
 * A player's round with the edition of the document that it was played by, and its cards.
 * @typedef {object} OwnRound
 * @property {string} table_name
 * @property {number} round
 * @property {string} player
 * @property {number} at_ms
 * @property {number} began_ms
 * @property {string} book
 * @property {number} staked
 * @property {number} returned
 * @property {number} net
 * @property {string} outcomes
 * @property {string} edition
 * @property {Readonly<Record<number, ReadonlyArray<string>>>} cards
 */

/**
 * A replay of one round of one table, with the edition of the document behind its book.
 * @typedef {object} Recalled
 * @property {boolean} replay
 * @property {string} table
 * @property {number} round
 * @property {string} book
 * @property {string} version
 * @property {string} edition
 * @property {string} title
 * @property {string} differs
 * @property {string} digest
 * @property {number} decks
 * @property {string} decks_in_use
 * @property {number} first_row
 * @property {number} last_row
 * @property {number} started_ms
 * @property {number | null} ended_ms
 * @property {string | null} void
 * @property {string} banker
 * @property {number | null} bank
 * @property {number} banker_net
 * @property {string} commitment
 * @property {Readonly<Record<number, ReadonlyArray<string>>>} cards
 * @property {number} burned
 * @property {ReadonlyArray<Chosen>} choices
 * @property {ReadonlyArray<PaidWager>} wagers
 * @property {ReadonlyArray<Stack>} stacks
 * @property {Readonly<Record<string, [number, number]>>} meters
 * @property {number} house
 * @property {ReadonlyArray<Happening>} rows
 */

/**
 * One shuffle from its commitment to its reveal; `seed` and `cards` are the house's secret.
 * @typedef {object} Shoe
 * @property {Terms} terms
 * @property {string} commitment
 * @property {ReadonlyArray<Seal>} seals
 * @property {ReadonlyArray<CutRecord>} cuts
 * @property {ReadonlyArray<PlayerSeed>} player_seeds
 * @property {Cover | null} cover
 * @property {ReadonlyArray<DrawnCard>} drawn
 * @property {ReadonlyArray<number>} discards
 * @property {ReadonlyArray<HouseChoice>} choices
 * @property {string} ended
 * @property {string} seed
 * @property {ReadonlyArray<string>} cards
 * @property {Proof | null} proof
 */

/**
 * Consecutive finished shoes of one table, as stored in a file, and the shoe in use.
 * @typedef {object} VerifyRecord
 * @property {ReadonlyArray<Shoe>} shoes
 * @property {"wartable-shoes-1" | "wartable-shoes-2"} format
 * @property {Shoe | null} current
 */

/**
 * An open table as the floor sees it: what it awaits, and what is unusual.
 * @typedef {object} FloorTable
 * @property {string} name
 * @property {string | null} owner
 * @property {string} book
 * @property {number} decks
 * @property {string} decks_in_use
 * @property {boolean} staffed
 * @property {Readonly<Record<string, string>>} side_bets
 * @property {ReadonlyArray<string>} methods
 * @property {string} method
 * @property {number} rounds
 * @property {boolean} in_round
 * @property {ReadonlyArray<string>} players
 * @property {string | null} dealer
 * @property {ReadonlyArray<Due>} due
 * @property {Readonly<Record<string, number>>} time_up_ms
 * @property {boolean} locked
 * @property {ReadonlyArray<LateWager>} late
 * @property {boolean} miscounted
 * @property {string | null} award
 * @property {string} approved_by
 * @property {string | null} reshuffle
 * @property {string | null} device_failed
 * @property {string | null} device_mark
 * @property {boolean} idle
 * @property {string | null} closed
 * @property {number} boxes
 * @property {Readonly<Record<number, string>>} seats
 * @property {number} staked
 * @property {Limits} limits
 * @property {number} boxes_per_player
 * @property {number | null} players_per_box
 * @property {Readonly<Record<string, number>>} restrictions
 * @property {Readonly<Record<string, number>>} player_box_maximums
 * @property {ReadonlyArray<string>} sets
 * @property {string} condition
 * @property {number | null} cards_since_ms
 * @property {number | null} cards_until_ms
 * @property {ReadonlyArray<BatchShown>} batches
 * @property {boolean} cover_card_out
 * @property {boolean} burn_due
 * @property {BankShown | null} bank
 * @property {Readonly<Record<string, number>>} meters
 * @property {number} house
 * @property {ReadonlyArray<TableIncident>} incidents
 */

/**
 * A page of the console.
 * @typedef {object} PageLink
 * @property {string} path
 * @property {string} title
 */

/**
 * Some decks with one back: where they are, who prepared them, since when they are in use.
 * @typedef {object} CardSet
 * @property {string} name
 * @property {number} decks
 * @property {string} back
 * @property {"destroyed" | "issued" | "received" | "secured"} state
 * @property {string} place
 * @property {string} seal
 * @property {string} inspected_by
 * @property {string} verified_by
 * @property {string} shuffled_by
 * @property {number | null} opened_ms
 * @property {ReadonlyArray<CustodyRow>} log
 */

/**
 * A player who may not play until then, by their own wish.
 * @typedef {object} ExclusionShown
 * @property {string} account
 * @property {number} until_ms
 */

/**
 * A limit in force, and who set it; `*` is everybody. Money is in cents.
 * @typedef {object} LimitInForce
 * @property {string} account
 * @property {string} kind
 * @property {string} setter
 * @property {number} amount
 */

/**
 * A filing with who recorded it and when.
 * @typedef {object} Filed
 * @property {string} submission
 * @property {string} submitted
 * @property {string} agreement
 * @property {string} agreed
 * @property {string} by
 * @property {number} at_ms
 */

/**
 * What somebody gets when the award is approved, and why.
 * @typedef {object} AwardShare
 * @property {string} player
 * @property {number} box
 * @property {string} wager
 * @property {number} amount
 * @property {string} words
 * @property {ReadonlyArray<string>} clauses
 */

/**
 * One thing that the operator may set: its value in the book, what is allowed, and why.
 * @typedef {object} FormField
 * @property {string} key
 * @property {"choice" | "money" | "number" | "share" | "yes"} kind
 * @property {string | number | boolean | null} value
 * @property {ReadonlyArray<string>} choices
 * @property {number | null} least
 * @property {number | null} most
 * @property {ReadonlyArray<string>} clauses
 * @property {ReadonlyArray<string>} readings
 * @property {string} note
 */

/**
 * From one moment until before another; None is unbounded.
 * @typedef {object} Period
 * @property {number} from_ms
 * @property {number | null} until_ms
 */

/**
 * One wager's results in one group, in cents; `deviation` is in standard deviations.
 * @typedef {object} ReportLine
 * @property {"bank" | "game" | "paytable" | "player" | "table" | "wager"} by
 * @property {string} name
 * @property {string} wager
 * @property {number} wagers
 * @property {number} staked
 * @property {number} net
 * @property {number | null} actual
 * @property {number | null} theoretical
 * @property {number | null} expected_net
 * @property {number | null} deviation
 */

/**
 * One significant event, from any chain.
 * @typedef {object} Significant
 * @property {number} at_ms
 * @property {string} table
 * @property {number} row
 * @property {string} actor
 * @property {string} kind
 * @property {string} subject
 * @property {string} reason
 * @property {string} before
 * @property {string} after
 */

/**
 * A round that a player banked: what was posted, covered, matched and returned uncovered.
 * @typedef {object} BankedRound
 * @property {number} at_ms
 * @property {string} table
 * @property {number} round
 * @property {string} banker
 * @property {number} posted
 * @property {number} covered
 * @property {number} matched
 * @property {number} uncovered
 * @property {number} net
 * @property {number} consecutive
 */

/**
 * A meter as a table shows it, with all that it took and gave; `missing` should be zero.
 * @typedef {object} MeterLine
 * @property {string} table
 * @property {string} meter
 * @property {number} seeded
 * @property {number} fed
 * @property {number} paid
 * @property {number} shown
 * @property {number} missing
 */

/**
 * What was played on a day (UTC): rounds, stakes, and the players' result, in cents.
 * @typedef {object} DayLine
 * @property {string} day
 * @property {number} rounds
 * @property {number} staked
 * @property {number} net
 */

/**
 * A round that a player finds wrong; its number is that of its row in the office's chain.
 * @typedef {object} Dispute
 * @property {number} number
 * @property {string} player
 * @property {number} at_ms
 * @property {string} table
 * @property {number} round
 * @property {string} words
 * @property {DisputeAnswer | null} answer
 */

/**
 * A player's round: the times of its first wager and its end, the stake and the return.
 * @typedef {object} RoundResult
 * @property {string} table_name
 * @property {number} round
 * @property {string} player
 * @property {number} at_ms
 * @property {number} began_ms
 * @property {string} book
 * @property {number} staked
 * @property {number} returned
 * @property {number} net
 * @property {string} outcomes
 */

/**
 * A named option: its value in the book, and all that it can be.
 * @typedef {object} LabOption
 * @property {string} name
 * @property {string} value
 * @property {ReadonlyArray<string>} values
 */

/**
 * A wager that a seat can make in the lab, with the stake that its page starts with.
 * @typedef {object} LabWager
 * @property {WagerShown} shown
 * @property {number} stake
 */

/**
 * A server of the house as an administrator sees it.
 * @typedef {object} ServerShown
 * @property {string} name
 * @property {string} address
 * @property {string} version
 * @property {number} connections
 * @property {number} began_ms
 * @property {boolean} has_house
 * @property {number} tables
 * @property {string} program
 */

/**
 * A shared table, and the server that has it.
 * @typedef {object} TableShown
 * @property {string} name
 * @property {string} server
 * @property {number} guests
 * @property {number} watching
 * @property {number} rounds
 */

/**
 * What happened in each second of the last minute, and how long a commit took at most.
 * @typedef {object} Rates
 * @property {number} commands
 * @property {number} refused
 * @property {number} requests
 * @property {number} commits
 * @property {number | null} commit_p50_ms
 * @property {number | null} commit_p99_ms
 */

/**
 * The database: whether it answers, its size, and its replicas.
 * @typedef {object} DatabaseShown
 * @property {"postgresql" | "sqlite"} kind
 * @property {boolean} answers
 * @property {number} bytes
 * @property {ReadonlyArray<ReplicaShown>} replicas
 */

/**
 * A choice that the house may draw: its name, its options, their weights (none: equal).
 * @typedef {object} Label
 * @property {string} name
 * @property {ReadonlyArray<string>} options
 * @property {ReadonlyArray<number>} weights
 */

/**
 * A player at the table: the seat, the stack, and whether they are leaving.
 * @typedef {object} Guest
 * @property {string} player
 * @property {number} stack
 * @property {number | null} seat
 * @property {number} arrival
 * @property {boolean} leaving
 */

/**
 * The cards at the table, when their use began, and the steps done with each batch.
 * @typedef {object} Decks
 * @property {number} at_ms
 * @property {"inspected" | "inspected_and_shuffled" | "new" | "preinspected" | "preshuffled" | "shuffled"} condition
 * @property {Readonly<Record<string, ReadonlyArray<"inspect" | "riffle" | "spread" | "stack" | "turn" | "verify" | "view" | "wash">>>} done
 * @property {Readonly<Record<string, string>>} inspectors
 * @property {ReadonlyArray<string>} ready
 * @property {ReadonlyArray<string>} spread
 * @property {ReadonlyArray<string>} sets
 */

/**
 * The links of a batch's shoes: the published end, how many were used, the last one revealed.
 * @typedef {object} LinkChain
 * @property {string} end
 * @property {number} links
 * @property {string} book
 * @property {string} owner
 * @property {"after_bets" | "on_deal" | "shoe"} order
 * @property {number} iterations
 * @property {number} used
 * @property {string} link
 * @property {string} record
 * @property {string} root
 */

/**
 * The player offered the cut, those asked before, and the last cutter.
 * @typedef {object} CutOffer
 * @property {string | null} offered
 * @property {ReadonlyArray<string>} asked
 * @property {string | null} last
 * @property {boolean} made
 */

/**
 * The banker's turn, the current offer, and who took it.
 * @typedef {object} Bank
 * @property {string | null} button
 * @property {number | null} seat
 * @property {number} rounds
 * @property {BankTurn} before
 * @property {string | null} offered
 * @property {ReadonlyArray<string>} passed
 * @property {string | null} taken
 * @property {number} posted
 * @property {boolean} untaken
 */

/**
 * One round from open betting to the last settlement; boxes in ascending order.
 * @typedef {object} Round
 * @property {boolean} opened
 * @property {Readonly<Record<number, string>>} seats
 * @property {string | null} banker
 * @property {number | null} bank
 * @property {number | null} bank_stack
 * @property {ReadonlyArray<Hand>} hands
 * @property {boolean} bets_closed
 * @property {Readonly<Record<number, string>>} cards
 * @property {Readonly<Record<number, string>>} war_cards
 * @property {ReadonlyArray<string>} burned
 * @property {ReadonlyArray<number>} void_boxes
 * @property {Spun | null} spun
 * @property {MeterRead | null} reading
 * @property {string | null} void
 * @property {boolean} closed
 */

/**
 * A summary of a round: the dealer's card, and how many hands won, lost or tied.
 * @typedef {object} LastRound
 * @property {number} number
 * @property {string} dealer
 * @property {number} won
 * @property {number} lost
 * @property {number} tied
 */

/**
 * A chance: the fraction and its value.
 * @typedef {object} Chance
 * @property {string} exact
 * @property {number} value
 */

/**
 * A wager's outcome, in the book's words and with the clauses behind it.
 * @typedef {object} PaidWager
 * @property {number} box
 * @property {string} player
 * @property {string} wager
 * @property {string} label
 * @property {number} staked
 * @property {number} returned
 * @property {number} net
 * @property {string} outcome
 * @property {string} words
 * @property {ReadonlyArray<string>} clauses
 */

/**
 * A player's money at the table before and after the round, and what they brought meanwhile.
 * @typedef {object} Stack
 * @property {string} player
 * @property {number} before
 * @property {number} brought
 * @property {number} after
 */

/**
 * One row of the round: the actor, the command, the events and the money it moved.
 * @typedef {object} Happening
 * @property {number} number
 * @property {number} at_ms
 * @property {string} actor
 * @property {ReadonlyArray<Joined | BoughtIn | CashedOut | Departed | DecksReceived | DecksRemoved | Prepared | SeedSealed | ChainStarted | NumberGiven | NumbersClosed | CardsDecided | ShoeStarted | CutOffered | CutRefused | CutMade | RecutOrdered | SeedOpened | ShoeLoaded | CardBurned | BankOffered | BankTaken | BankPassed | BankUntaken | RoundStarted | SideBetsCounted | CountDiffered | MeterFed | MeterUnfed | HouseChose | AwardPending | AwardApproved | MeterReset | MetersShown | CoverCardOut | CardsCollected | ShoeEnded | CardSetAside | DrawnInError | DealerChanged | ReshuffleOrdered | TableIdle | SpreadTurnedUp | DeviceFailed | DeviceMarked | DeviceRepaired | MethodChanged | Restricted | Jammed | Opened | Placed | Withdrawn | Declined | BetsClosed | Returned | Dealt | Burned | Chosen | Matched | Spun | MeterRead | Settled | EnvyPaid | Left | BoxVoided | RoundVoided | Closed | TableOpened | MetersOpened | MetersMoved | PaidIn | PaidOut | Corrected | Noted>} events
 * @property {ReadonlyArray<Transfer>} transfers
 */

/**
 * A player's own seed, opened after the cut.
 * @typedef {object} PlayerSeed
 * @property {string} player
 * @property {string} seed
 */

/**
 * How many cards lie above the cover card, derived between the two allowed positions.
 * @typedef {object} Cover
 * @property {number} position
 * @property {number} low
 * @property {number} high
 */

/**
 * A card that left the shoe, with its use, round and box (0 is the dealer).
 * @typedef {object} DrawnCard
 * @property {string} card
 * @property {number} round_number
 * @property {"burn" | "original" | "set_aside" | "war"} use
 * @property {number | null} box
 */

/**
 * A choice of the house derived from the seeds: its label, number, options and result.
 * @typedef {object} HouseChoice
 * @property {string} label
 * @property {number} index
 * @property {ReadonlyArray<string>} options
 * @property {ReadonlyArray<number>} weights
 * @property {number} result
 */

/**
 * What a shoe was bound to, its draws and incidents, and the secret key of its last draw.
 * @typedef {object} Proof
 * @property {Bound} bound
 * @property {ReadonlyArray<Draw>} draws
 * @property {ReadonlyArray<CardIncident>} incidents
 * @property {string} key
 */

/**
 * A wager that was refused because it came after "no more bets".
 * @typedef {object} LateWager
 * @property {number} at_ms
 * @property {number} round
 * @property {string} player
 * @property {number} box
 * @property {string} wager
 */

/**
 * What the operator permits by wager, box and payout; a running table has all of them.
 * @typedef {object} Limits
 * @property {Limit} primary
 * @property {Limit} tie
 * @property {Limit} war_tie
 * @property {number | null} box_max
 * @property {number | null} player_box_max
 * @property {number | null} payout_max
 * @property {number | null} ceiling
 * @property {boolean} ceiling_required
 */

/**
 * The cards of one back: where they are, how many are left and racked, and what they need.
 * @typedef {object} BatchShown
 * @property {string} name
 * @property {string} where
 * @property {number} left
 * @property {number} racked
 * @property {ReadonlyArray<string>} steps
 */

/**
 * The bank: who has it or is offered it, what is posted, and how many rounds in a row.
 * @typedef {object} BankShown
 * @property {string | null} banker
 * @property {string | null} offered
 * @property {ReadonlyArray<string>} passed
 * @property {number} posted
 * @property {number} rounds
 * @property {number} rounds_max
 * @property {string} rotation
 */

/**
 * Something irregular at a table: when, in which round, and what.
 * @typedef {object} TableIncident
 * @property {number} at_ms
 * @property {number} round
 * @property {Event} event
 */

/**
 * One step in a set's life: who did what, when, and where the set was after it.
 * @typedef {object} CustodyRow
 * @property {number} at_ms
 * @property {string} by
 * @property {"destroyed" | "inspected" | "issued" | "received" | "secured" | "shuffled" | "verified"} what
 * @property {string} place
 * @property {string} seal
 */

/**
 * The answer to a dispute: who gave it, when, how it ended, what was paid, and why.
 * @typedef {object} DisputeAnswer
 * @property {string} by
 * @property {number} at_ms
 * @property {"corrected" | "stands" | "void"} end
 * @property {number} amount
 * @property {string} words
 */

/**
 * A replica of the database, and how far it is behind.
 * @typedef {object} ReplicaShown
 * @property {string} name
 * @property {string} state
 * @property {number | null} lag_ms
 * @property {number | null} behind_bytes
 */

/**
 * Who banked last, at which seat, and how many rounds in a row.
 * @typedef {object} BankTurn
 * @property {string | null} button
 * @property {number | null} seat
 * @property {number} rounds
 */

/**
 * One player's wagers on one box.
 * @typedef {object} Hand
 * @property {number} box
 * @property {string} player
 * @property {ReadonlyArray<Wager>} wagers
 * @property {"surrender" | "war" | null} choice
 * @property {number} envy
 * @property {boolean} tie_declined
 * @property {boolean} absent
 */

/**
 * A table is open; the house has put the initial amounts on its meters.
 * @typedef {object} TableOpened
 * @property {"table_opened"} type
 * @property {string} book
 * @property {number} decks
 * @property {boolean} staffed
 * @property {string} meters
 * @property {string | null} approval
 * @property {[string, string] | null} batches
 * @property {Limits | null} limits
 * @property {string | null} layout
 * @property {string} order
 * @property {number} iterations
 */

/**
 * Shared meters are open; the house has put the initial amounts on them.
 * @typedef {object} MetersOpened
 * @property {"meters_opened"} type
 * @property {string} book
 * @property {Readonly<Record<string, MeterState>>} meters
 */

/**
 * The shared meters have these values after that row of that table.
 * @typedef {object} MetersMoved
 * @property {"meters_moved"} type
 * @property {string} table
 * @property {number} number
 * @property {Readonly<Record<string, MeterState>>} meters
 */

/**
 * Money came into a wallet.
 * @typedef {object} PaidIn
 * @property {"paid_in"} type
 * @property {string} player
 * @property {number} amount
 */

/**
 * Money left a wallet.
 * @typedef {object} PaidOut
 * @property {"paid_out"} type
 * @property {string} player
 * @property {number} amount
 */

/**
 * The house paid a player what a dispute found missing.
 * @typedef {object} Corrected
 * @property {"corrected"} type
 * @property {string} player
 * @property {number} amount
 * @property {number} dispute
 */

/**
 * A significant event; its row has the actor and the time.
 * @typedef {object} Noted
 * @property {"noted"} type
 * @property {"account_opened" | "award_approved" | "cards_destroyed" | "cards_inspected" | "cards_issued" | "cards_received" | "cards_secured" | "cards_shuffled" | "cards_verified" | "clock_changed" | "clock_confirmed" | "code_approved" | "codes_made" | "disabled" | "dispute_answered" | "enabled" | "excluded" | "house_closed" | "house_opened" | "key_changed" | "key_made" | "key_revoked" | "limit_set" | "locked_out" | "name_changed" | "password_changed" | "recovered" | "registered" | "restored" | "return_doubted" | "role_changed" | "rollback_accepted" | "round_disputed" | "rows_keyed" | "selfcheck_failed" | "sign_in_failed" | "signed_in" | "signed_out" | "submission_recorded" | "table_failed" | "table_opened" | "tampering_found"} kind
 * @property {string} subject
 * @property {string} reason
 * @property {string} before
 * @property {string} after
 * @property {AccountFacts | PasswordFact | RegisteredFact | DisplayFact | CodesFact | RecoveredFact | RoleFact | ExclusionFact | KeyFact | RevocationFact | SessionFact | SessionsFact | LimitFacts | ClosureFacts | RestartFact | HeadsFact | CardFacts | ApprovalFacts | DisputeFacts | AnswerFacts | null} facts
 */

/**
 * One movement of money between two accounts of the ledger.
 * @typedef {object} Transfer
 * @property {string} source
 * @property {string} target
 * @property {number} amount
 */

/**
 * Something that moved, skipped or discarded cards: by whom, why, after how many cards.
 * @typedef {object} CardIncident
 * @property {"box_voided" | "card_set_aside" | "dealer_changed" | "drawn_in_error" | "ended" | "jammed" | "player_left" | "recut_ordered" | "reshuffle_ordered" | "round_voided"} what
 * @property {string} by
 * @property {string} reason
 * @property {number} place
 * @property {number} round_number
 */

/**
 * The minimum and the maximum of one wager.
 * @typedef {object} Limit
 * @property {number} min
 * @property {number | null} max
 */

/**
 * Money on a spot: the stake, what has come back, and the outcome.
 * @typedef {object} Wager
 * @property {"bonus_spin" | "primary" | "progressive" | "tie" | "war" | "war_tie"} kind
 * @property {number} staked
 * @property {number} uncovered
 * @property {number} matched
 * @property {number} returned
 * @property {string} outcome
 */

/**
 * An account's role, kind of money, fingerprint of its password, and time of opening.
 * @typedef {object} AccountFacts
 * @property {"account_facts"} type
 * @property {string} role
 * @property {string} money
 * @property {string} password
 * @property {number | null} opened_ms
 */

/**
 * The fingerprint of a password.
 * @typedef {object} PasswordFact
 * @property {"password_fact"} type
 * @property {string} password
 */

/**
 * The name under which a guest signs in from now on, and the fingerprint of the password.
 * @typedef {object} RegisteredFact
 * @property {"registered_fact"} type
 * @property {string} login
 * @property {string} password
 */

/**
 * What a player is called at tables.
 * @typedef {object} DisplayFact
 * @property {"display_fact"} type
 * @property {string} display
 */

/**
 * The digests of an account's recovery codes, instead of all earlier ones.
 * @typedef {object} CodesFact
 * @property {"codes_fact"} type
 * @property {ReadonlyArray<string>} codes
 */

/**
 * The fingerprint of a new password, and the digest of the recovery code that was used.
 * @typedef {object} RecoveredFact
 * @property {"recovered_fact"} type
 * @property {string} password
 * @property {string} code
 */

/**
 * A role.
 * @typedef {object} RoleFact
 * @property {"role_fact"} type
 * @property {string} role
 */

/**
 * When a player's exclusion ends, unless a longer one is in force.
 * @typedef {object} ExclusionFact
 * @property {"exclusion_fact"} type
 * @property {number} until_ms
 */

/**
 * The fingerprint of an operator's key.
 * @typedef {object} KeyFact
 * @property {"key_fact"} type
 * @property {string} key
 */

/**
 * When an operator's key was revoked.
 * @typedef {object} RevocationFact
 * @property {"revocation_fact"} type
 * @property {number} at_ms
 */

/**
 * The fingerprint of the session that began or ended.
 * @typedef {object} SessionFact
 * @property {"session_fact"} type
 * @property {string} session
 */

/**
 * All sessions of an account ended, but the one with this fingerprint, if there is one.
 * @typedef {object} SessionsFact
 * @property {"sessions_fact"} type
 * @property {string} kept
 */

/**
 * A limit's owner, kind and amount, and the looser one that follows; None is no limit.
 * @typedef {object} LimitFacts
 * @property {"limit_facts"} type
 * @property {string} setter
 * @property {string} kind
 * @property {number | null} amount
 * @property {number | null} next_amount
 * @property {number | null} next_from_ms
 */

/**
 * What was disabled or enabled, and when it was disabled.
 * @typedef {object} ClosureFacts
 * @property {"closure_facts"} type
 * @property {string} scope
 * @property {string} name
 * @property {number | null} at_ms
 */

/**
 * How long the house was closed before this start, by a clock that nobody confirmed.
 * @typedef {object} RestartFact
 * @property {"restart_fact"} type
 * @property {number} closed_ms
 */

/**
 * The number and hash of the last row of each chain.
 * @typedef {object} HeadsFact
 * @property {"heads_fact"} type
 * @property {Readonly<Record<string, [number, string]>>} heads
 */

/**
 * What was done with a set of cards and when, its place after it, decks, back and seal.
 * @typedef {object} CardFacts
 * @property {"card_facts"} type
 * @property {"destroyed" | "inspected" | "issued" | "received" | "secured" | "shuffled" | "verified"} what
 * @property {number} at_ms
 * @property {string} place
 * @property {number} decks
 * @property {string} back
 * @property {string} seal
 */

/**
 * An award that the first of two people approved: its round, and the side bets settled before.
 * @typedef {object} ApprovalFacts
 * @property {"approval_facts"} type
 * @property {number} round
 * @property {number} settled
 */

/**
 * The round that a player disputes.
 * @typedef {object} DisputeFacts
 * @property {"dispute_facts"} type
 * @property {string} table
 * @property {number} round
 */

/**
 * How the dispute of that number ended, and what the house paid for it.
 * @typedef {object} AnswerFacts
 * @property {"answer_facts"} type
 * @property {number} dispute
 * @property {"corrected" | "stands" | "void"} end
 * @property {number} amount
 */

/** @typedef {Joined | BoughtIn | CashedOut | Departed | DecksReceived | DecksRemoved | Prepared | SeedSealed | ChainStarted | NumberGiven | NumbersClosed | CardsDecided | ShoeStarted | CutOffered | CutRefused | CutMade | RecutOrdered | SeedOpened | ShoeLoaded | CardBurned | BankOffered | BankTaken | BankPassed | BankUntaken | RoundStarted | SideBetsCounted | CountDiffered | MeterFed | MeterUnfed | HouseChose | AwardPending | AwardApproved | MeterReset | MetersShown | CoverCardOut | CardsCollected | ShoeEnded | CardSetAside | DrawnInError | DealerChanged | ReshuffleOrdered | TableIdle | SpreadTurnedUp | DeviceFailed | DeviceMarked | DeviceRepaired | MethodChanged | Restricted | Jammed | Opened | Placed | Withdrawn | Declined | BetsClosed | Returned | Dealt | Burned | Chosen | Matched | Spun | MeterRead | Settled | EnvyPaid | Left | BoxVoided | RoundVoided | Closed} Event */

/** @typedef {MayBet | MayWithdraw | MayDecline | MayChoose | MayLeave | MayBank} Move */

/** @typedef {Welcome | Snapshot | Happened | Wagering | Awaited | Accepted | RefusedCommand | Priced | Pong | Reality | Lobby} Message */
