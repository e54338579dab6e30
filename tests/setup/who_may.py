"""Who may do what, by the documents (who deals, verifies, approves) and docs/operate.md.

The tables are written by hand, so a right that somebody adds by mistake is found: over HTTP by
tests/server/http/test_every_role.py, on the pages by tests/web/test_web_every_role.py.
"""

from hosting import Json

ALL = "nobody player dealer floor auditor admin"
SIGNED_IN = "player dealer floor auditor admin"
STAFF = "dealer floor auditor admin"
READS = "auditor admin"
SEES = "floor auditor admin"
RUNS = "floor admin"

TABLE = {"name": "online 1", "book": "online"}
WHY = {"reason": "a test"}
NOBODY = {"name": "nobody-there", "password": "wrong horse battery"}
# Method and path, who may, and a body that does as little as possible where it is allowed.
REQUESTS: dict[str, tuple[str, Json | None]] = {
    "GET /health": (ALL, None),
    "GET /ready": (ALL, None),
    "GET /metrics": (ALL, None),
    "GET /metrics/server": (ALL, None),
    "GET /schema/openapi.json": (ALL, None),
    "POST /guest": (ALL, None),
    "POST /register": (ALL, {"name": "x", "password": "x"}),
    "POST /sign-in": (ALL, NOBODY),
    "POST /recover": (ALL, NOBODY | {"code": "none"}),
    "GET /session": (ALL, None),
    "GET /names": (ALL, None),
    "GET /lobby": (ALL, None),
    "GET /tables/online 1": (ALL, None),
    "GET /tables/online 1/book": (ALL, None),
    "GET /tables/online 1/shoes": (ALL, None),
    "GET /books": (ALL, None),
    "GET /books/online": (ALL, None),
    "GET /books/online/page": (ALL, None),
    "GET /books/online/odds": (ALL, None),
    "GET /lab/books/online": (ALL, None),
    "GET /lab/odds?book=online": (ALL, None),
    "GET /lab/par?book=online&sheet=json": (ALL, None),
    "POST /me/password": (SIGNED_IN, {"old": "not this one", "new": "a new horse battery"}),
    "POST /me/codes": ("player", {"password": "not this one"}),
    "PUT /me/name": ("player", {"display": ""}),
    "GET /me": (SIGNED_IN, None),
    "PUT /me/limits": ("player", {"kind": "loss_day", "amount": None}),
    "POST /me/exclude": ("", {"days": 1}),
    "POST /me/acknowledge": (SIGNED_IN, None),
    "POST /me/refill": (SIGNED_IN, {"id": "r"}),
    "GET /me/rounds": (SIGNED_IN, None),
    "GET /me/rounds.csv": (SIGNED_IN, None),
    "GET /me/totals": (SIGNED_IN, None),
    "GET /me/disputes": (SIGNED_IN, None),
    "POST /me/disputes": (SIGNED_IN, {"table": "online 1", "round": 9_999, "words": "x"}),
    "GET /rounds/online 1/9999": ("floor auditor admin", None),
    "POST /tables/private": ("", {"book": "online"}),
    "POST /tables/online 1/bots": (RUNS, {"count": 1}),
    "POST /tables/online 1/bots/leave": (RUNS, {}),
    "GET /staff": (STAFF, None),
    "GET /staff/servers": ("admin", None),
    "GET /staff/tables/online 1": (STAFF, None),
    "GET /awards": (STAFF, None),
    "GET /books/online/form": (STAFF, None),
    "GET /cards": (STAFF, None),
    "GET /cards/none": (STAFF, None),
    "POST /cards/none/moves": ("dealer floor", {"what": "shuffled"}),
    "POST /cards": (RUNS, {"name": "same", "decks": 1, "back": "red"}),
    "POST /tables": (RUNS, TABLE),
    "POST /tables/preview": (RUNS, TABLE | {"name": "preview"}),
    "PUT /books/online/filing": (RUNS, {}),
    "POST /disable": (RUNS, WHY | {"scope": "table", "name": "none"}),
    "POST /enable": (RUNS, WHY | {"scope": "table", "name": "none"}),
    "GET /closures": (SEES, None),
    "GET /disputes": (SEES, None),
    "GET /records/rounds?player=admin": (SEES, None),
    "GET /records/statement.csv?player=admin": (SEES, None),
    "POST /disputes/9999/answer": (RUNS, {"end": "stands", "words": "x"}),
    "GET /records/report": (READS, None),
    "GET /records/report.csv": (READS, None),
    "GET /records/returns": (READS, None),
    "GET /records/significant": (READS, None),
    "POST /selfcheck": (READS, None),
    "GET /program": (READS, None),
    "POST /program/approve": ("admin", WHY),
    "POST /clock": ("admin", WHY | {"time": "2026-11-17T12:00"}),
    "PUT /limits": ("admin", {"account": "*", "kind": "loss_day", "amount": None}),
    "GET /accounts": ("admin", None),
    "GET /protected": (SEES, None),
    "POST /accounts": ("admin", {"name": "x", "password": "x"}),
    "PUT /accounts/nobody-there/role": ("admin", WHY | {"role": "floor"}),
    "POST /accounts/nobody-there/password": ("admin", WHY),
    "GET /keys": ("admin", None),
    "POST /keys": ("admin", {"name": "same"}),
    "POST /keys/none/revoke": ("admin", WHY),
    "GET /backups": ("admin", None),
    "POST /backups": ("admin", None),
    # The cashier's desk needs an operator's key, whoever is signed in.
    "GET /wallets/admin": ("", None),
    "POST /wallets/admin/deposit": ("", {"amount": 1}),
    "POST /wallets/admin/withdraw": ("", {"amount": 1}),
}
OWN_WAY = {
    "POST /me/exclude": "it would end the test's own people; anybody may exclude themselves",
    "POST /tables/private": "staff have no money; a player's table is tested elsewhere",
    "POST /sign-out": "it would sign the test's own people out",
    "POST /tables/{name}/commands": "every command by itself, below",
}
"""What is not tried here, and why."""

PLAYS = "player"
DEALS, FLOORS = "dealer", "floor"
BOTH, ABOVE = "dealer floor", "floor admin"
# A command, who may give it at a staffed table, and its fields.
GIVEN: dict[str, tuple[str, Json]] = {
    "join": (PLAYS, {"amount": 10**9}),
    "buy_in": (PLAYS, {"amount": 10**9}),
    "cash_out": (PLAYS, {"amount": 1}),
    "send_number": (PLAYS, {"number": "0" * 64}),
    "cut": (PLAYS, {"position": 100}),
    "refuse_cut": (PLAYS, {}),
    "take_bank": (PLAYS, {"amount": 1}),
    "pass_bank": (PLAYS, {}),
    "turn_up": (PLAYS, {}),
    "bet": (PLAYS, {"box": 1, "wager": "primary", "amount": 500}),
    "withdraw": (PLAYS, {"box": 1, "wager": "primary"}),
    "decline": (PLAYS, {"box": 1}),
    "choose": (PLAYS, {"box": 1, "choice": "war"}),
    "leave": (PLAYS, {}),
    "close_bets": (DEALS, {}),
    "timeout": (DEALS, {"player": "nobody", "box": 1}),
    "shuffle_cards": (DEALS, {}),
    "load_shoe": (DEALS, {}),
    "offer_bank": (DEALS, {}),
    "start_round": (DEALS, {}),
    "count_side_bets": (DEALS, {}),
    "proceed": (DEALS, {}),
    "find_face_up": (DEALS, {}),
    "draw_in_error": (DEALS, {"exposed": True}),
    "miss_box": (DEALS, {"box": 1}),
    "receive_decks": (BOTH, {}),
    "prepare view": (PLAYS, {"step": "view"}),
    "prepare verify": (FLOORS, {"step": "verify"}),
    "prepare inspect": (DEALS, {"step": "inspect"}),
    "go_idle": (BOTH, {}),
    "fail_device": (BOTH, WHY),
    "mark_device": (BOTH, {"mark": "covered"}),
    "jam": (BOTH, {}),
    "order_recut": (FLOORS, WHY | {"who": "last"}),
    "order_reshuffle": (FLOORS, WHY),
    "change_dealer": (FLOORS, {"dealer": "nobody"}),
    "repair_device": (FLOORS, {}),
    "change_method": (FLOORS, {"method": "shoe"}),
    "restrict": (FLOORS, {"limit": "primary_max", "value": 1}),
    "approve": (ABOVE, {}),
    "void_round": (ABOVE, WHY),
}

CARD_MOVES = {
    "received": RUNS,
    "inspected": DEALS,
    "verified": FLOORS,
    "shuffled": BOTH,
    "secured": RUNS,
    "issued": RUNS,
    "destroyed": RUNS,
}
"""What is done with sets of cards, and who does it."""
