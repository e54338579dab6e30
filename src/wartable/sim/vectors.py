"""The innermost loops as explicit vectors, because compilers vectorise them only by luck.

A group of lanes goes through all steps while its states and counters stay in the processor's
registers. LLVM turns vectors of any width into what the processor has.
"""

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]  # llvmlite ships no types
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

code: Any = cgutils  # Numba ships no types for it

LANES = 16
"""Sequences stepped together."""
GROUP = 4
"""Lanes of one group: 256 bits, which need no more registers than AVX2 has."""
HALVES = 4 * GROUP
"""The 16-bit words of a group's step: one round each."""
COUNTERS = 3
"""Words that fit, won rounds, and rounds not lost; LANES * 4 counters of 16 bits each."""

LaneWords = ir.VectorType(ir.IntType(64), GROUP)
LaneHalves = ir.VectorType(ir.IntType(16), HALVES)
Whole64 = ir.IntType(64)
LaneState = tuple[Any, Any, Any, Any]
LaneTurn = Callable[[Any, LaneState, list[Any]], tuple[LaneState, list[Any]]]
"""What a turn does with its number, the states and the counters."""


def same(kind: Any, value: int) -> Any:
    """A vector of one constant."""
    return ir.Constant(kind, [value] * kind.count)


def spread(builder: Any, value: Any) -> Any:
    """A vector of one 16-bit number that is known only at run time."""
    nothing = ir.Constant(LaneHalves, ir.Undefined)
    one = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    first = same(ir.VectorType(ir.IntType(32), HALVES), 0)
    return builder.shuffle_vector(one, nothing, first)


def rotated(builder: Any, word: Any, by: int) -> Any:
    """The words rotated left."""
    left = builder.shl(word, same(LaneWords, by))
    return builder.or_(left, builder.lshr(word, same(LaneWords, 64 - by)))


def stepped(builder: Any, state: LaneState) -> tuple[Any, LaneState]:
    """The next words of the generator as 16-bit words, and the states after them."""
    s0, s1, s2, s3 = state
    word = builder.add(rotated(builder, builder.add(s0, s3), 23), s0)
    shifted = builder.shl(s1, same(LaneWords, 17))
    s2 = builder.xor(s2, s0)
    s3 = builder.xor(s3, s1)
    s1 = builder.xor(s1, s2)
    s0 = builder.xor(s0, s3)
    s2 = builder.xor(s2, shifted)
    return builder.bitcast(word, LaneHalves), (s0, s1, s2, rotated(builder, s3, 45))


def high(builder: Any, one: Any, other: Any) -> Any:
    """The high words of the products."""
    kind = ir.FunctionType(LaneHalves, [LaneHalves, LaneHalves, ir.IntType(32)])
    name = f"llvm.umul.fix.v{HALVES}i16"
    function = code.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, [one, other, ir.Constant(ir.IntType(32), 16)])


def counted(builder: Any, counters: Sequence[Any], fits: Any, won: Any, not_lost: Any) -> list[Any]:
    """The counters after rounds that fit, some of them won, some not lost."""
    seen = (fits, builder.and_(won, fits), builder.and_(not_lost, fits))
    return [
        builder.sub(counter, builder.sext(each, LaneHalves))
        for counter, each in zip(counters, seen, strict=True)
    ]


def judge_pairs(
    builder: Any, state: LaneState, counters: list[Any], numbers: Sequence[Any]
) -> tuple[LaneState, list[Any]]:
    """One step: a round from each word, as `kernels.judged` judges one word."""
    others, copies, alike, least = numbers
    word, state = stepped(builder, state)
    thirteen = same(LaneHalves, 13)
    rest = builder.mul(word, thirteen)
    lower = builder.mul(high(builder, word, thirteen), copies)
    card = high(builder, rest, others)
    fits = builder.icmp_unsigned(">=", builder.mul(rest, others), least)
    won = builder.icmp_signed(">", lower, card)
    not_lost = builder.icmp_signed(">", alike, builder.sub(card, lower))
    return state, counted(builder, counters, fits, won, not_lost)


def judge_wars(
    builder: Any, state: LaneState, counters: list[Any], numbers: Sequence[Any]
) -> tuple[LaneState, list[Any]]:
    """Four steps: two war deals from each word's place, as `kernels.war_judged` judges one."""
    first, second, copies, inverse, least, other_least = numbers
    words = []
    for _ in range(4):
        word, state = stepped(builder, state)
        words.append(word)
    two = same(LaneHalves, 2)
    for word, other in zip(words[:2], words[2:], strict=True):
        card, dealers = high(builder, word, first), high(builder, other, second)
        lower = builder.mul(high(builder, builder.add(card, two), inverse), copies)
        fits = builder.and_(
            builder.icmp_unsigned(">=", builder.mul(word, first), least),
            builder.icmp_unsigned(">=", builder.mul(other, second), other_least),
        )
        won = builder.icmp_signed(">", lower, builder.add(dealers, two))
        below = builder.sub(builder.add(lower, copies), same(LaneHalves, 3))
        not_lost = builder.icmp_signed(">", below, dealers)
        counters = counted(builder, counters, fits, won, not_lost)
    return state, counters


def data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """The address of an array's first number."""
    return code.create_struct_proxy(kind)(context, builder, value=array).data


def at(builder: Any, array: Any, place: Any, kind: Any) -> Any:
    """The address of a vector that begins at a place of an array."""
    return builder.bitcast(builder.gep(array, [place]), kind.as_pointer())


def through(
    builder: Any, states: Any, turns: Any, first: int, counters: Sequence[Any], body: LaneTurn
) -> list[Any]:
    """Let a group of lanes go through all turns; return its counters."""
    rows = [ir.Constant(Whole64, LANES * row + first) for row in range(4)]
    places = [at(builder, states, row, LaneWords) for row in rows]
    begin = [*(builder.load(place, align=8) for place in places), *counters]
    before = builder.block
    loop, after = (builder.append_basic_block(name) for name in ("turn", "after"))
    builder.branch(loop)
    builder.position_at_end(loop)
    turn = builder.phi(Whole64)
    held = [builder.phi(each.type) for each in begin]
    new, sums = body(turn, tuple(held[:4]), held[4:])
    following = builder.add(turn, ir.Constant(Whole64, 1))
    turn.add_incoming(ir.Constant(Whole64, 0), before)
    turn.add_incoming(following, loop)
    for value, start, end in zip(held, begin, [*new, *sums], strict=True):
        value.add_incoming(start, before)
        value.add_incoming(end, loop)
    builder.cbranch(builder.icmp_signed("<", following, turns), loop, after)
    builder.position_at_end(after)
    for value, place in zip(new, places, strict=True):
        builder.store(value, place, align=8)
    return sums


def counting(judge: Callable[..., tuple[LaneState, list[Any]]]) -> Any:
    """A loop for compiled code: its states, the turns, a tuple of 16-bit numbers, the counters.

    The states go on from where they are; the counters are set anew.
    """

    def typed(_context: Any, state: Any, _turns: Any, numbers: Any, counters: Any) -> Any:
        signature = types.void(state, types.int64, numbers, counters)

        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            states = data(context, builder, signature.args[0], arguments[0])
            counters = data(context, builder, signature.args[3], arguments[3])
            known = [spread(builder, each) for each in code.unpack_tuple(builder, arguments[2])]

            def body(_turn: Any, state: LaneState, sums: list[Any]) -> tuple[LaneState, list[Any]]:
                return judge(builder, state, sums, known)

            for first in range(0, LANES, GROUP):
                nothing = [same(LaneHalves, 0)] * COUNTERS
                sums = through(builder, states, arguments[1], first, nothing, body)
                for row, value in enumerate(sums):
                    place = ir.Constant(Whole64, 4 * (LANES * row + first))
                    builder.store(value, at(builder, counters, place, LaneHalves), align=2)
            return context.get_dummy_value()

        return signature, build

    return intrinsic(typed)


pair_steps, war_steps = counting(judge_pairs), counting(judge_wars)


def _fill_steps(_context: Any, state: Any, _steps: Any, words: Any) -> Any:
    """Write the words of all lanes, step by step."""
    signature = types.void(state, types.int64, words)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        states = data(context, builder, signature.args[0], arguments[0])
        words = data(context, builder, signature.args[2], arguments[2])
        for first in range(0, LANES, GROUP):

            def body(
                turn: Any, state: LaneState, _: list[Any], first: int = first
            ) -> tuple[LaneState, list[Any]]:
                word, state = stepped(builder, state)
                place = builder.mul(turn, ir.Constant(Whole64, LANES))
                place = builder.add(place, ir.Constant(Whole64, first))
                builder.store(
                    builder.bitcast(word, LaneWords), at(builder, words, place, LaneWords), align=8
                )
                return state, []

            through(builder, states, arguments[1], first, [], body)
        return context.get_dummy_value()

    return signature, build


fill_steps: Any = intrinsic(_fill_steps)
