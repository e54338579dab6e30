/* The simulator's method in C with vectors of WIDTH bits, 256 (AVX2) or 512 (AVX-512): the limit
 * that bench/sim.py compares the kernels with.
 *
 * The same generator, the same words, the same cards and the same counts as src/wartable/sim, so
 * that the benchmark can also check that both count alike. Used for nothing else.
 *
 *     cc -O3 -march=x86-64-v3 -mtune=native -DWIDTH=256 -shared -fPIC -o limit.so limit.c
 */
#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16, SHOES = 8, GROUPS = LANES * 64 / WIDTH, HALVES = WIDTH / 16, QUADS = WIDTH / 32 };

#if WIDTH == 512
typedef __m512i vector;
typedef __mmask32 mask; /* a bit for each 16-bit number */
#define OP(name) _mm512_##name
#define BITS(name) _mm512_##name##_si512
#define TURNED(x, by) _mm512_rol_epi64(x, by)
static inline mask at_least(vector x, vector least) { return _mm512_cmpge_epu16_mask(x, least); }
static inline mask above(vector x, vector y) { return _mm512_cmpgt_epi16_mask(x, y); }
static inline mask both(mask x, mask y) { return x & y; }
static inline vector counted(vector sums, mask seen) {
  return _mm512_mask_sub_epi16(sums, seen, sums, _mm512_set1_epi16(-1));
}
static inline vector chosen(mask which, vector yes, vector no) {
  return _mm512_mask_blend_epi16(which, no, yes);
}
static inline vector odd_of(vector even, vector odd) {
  return _mm512_mask_blend_epi32(0xaaaa, even, odd);
}
static inline int any_below(vector x, vector bound) { return _mm512_cmplt_epu32_mask(x, bound) != 0; }
static inline void packed(uint8_t *to, vector one, vector other) {
  _mm256_store_si256((__m256i *)to, _mm512_cvtepi16_epi8(one));
  _mm256_store_si256((__m256i *)(to + 32), _mm512_cvtepi16_epi8(other));
}
#else
typedef __m256i vector;
typedef __m256i mask; /* all bits of each 16-bit number */
#define OP(name) _mm256_##name
#define BITS(name) _mm256_##name##_si256
#define TURNED(x, by) \
  _mm256_or_si256(_mm256_slli_epi64(x, by), _mm256_srli_epi64(x, 64 - (by)))
static inline mask at_least(vector x, vector least) {
  return _mm256_cmpeq_epi16(_mm256_max_epu16(x, least), x);
}
static inline mask above(vector x, vector y) { return _mm256_cmpgt_epi16(x, y); }
static inline mask both(mask x, mask y) { return _mm256_and_si256(x, y); }
static inline vector counted(vector sums, mask seen) { return _mm256_sub_epi16(sums, seen); }
static inline vector chosen(mask which, vector yes, vector no) {
  return _mm256_blendv_epi8(no, yes, which);
}
static inline vector odd_of(vector even, vector odd) { return _mm256_blend_epi32(even, odd, 0xaa); }
static inline int any_below(vector x, vector bound) {
  vector fits = _mm256_cmpeq_epi32(_mm256_max_epu32(x, bound), x);
  return !_mm256_testc_si256(fits, _mm256_set1_epi32(-1));
}
static inline void packed(uint8_t *to, vector one, vector other) {
  vector both = _mm256_packus_epi16(one, other);
  _mm256_store_si256((vector *)to, _mm256_permute4x64_epi64(both, 0xd8));
}
#endif

typedef struct { vector s[4][GROUPS]; } lanes;

static inline vector next(lanes *g, int group) {
  vector s0 = g->s[0][group], s1 = g->s[1][group], s2 = g->s[2][group], s3 = g->s[3][group];
  vector word = OP(add_epi64)(TURNED(OP(add_epi64)(s0, s3), 23), s0);
  vector shifted = OP(slli_epi64)(s1, 17);
  s2 = BITS(xor)(s2, s0);
  s3 = BITS(xor)(s3, s1);
  g->s[1][group] = BITS(xor)(s1, s2);
  g->s[0][group] = BITS(xor)(s0, s3);
  g->s[2][group] = BITS(xor)(s2, shifted);
  g->s[3][group] = TURNED(s3, 45);
  return word;
}

static inline void fill(lanes *g, vector *words, long steps) {
  for (long step = 0; step < steps; step++)
    for (int group = 0; group < GROUPS; group++) words[GROUPS * step + group] = next(g, group);
}

static inline uint64_t turned_one(uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

static inline uint64_t draw(uint64_t *s, uint64_t below) {
  for (;;) {
    uint64_t word = turned_one(s[0] + s[3], 23) + s[0], shifted = s[1] << 17;
    s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = turned_one(s[3], 45);
    uint64_t product = (word >> 32) * below;
    if ((uint32_t)product >= (1ull << 32) % below) return product >> 32;
  }
}

static long total16(vector sums) {
  uint16_t each[HALVES];
  long total = 0;
  memcpy(each, &sums, sizeof each);
  for (int i = 0; i < HALVES; i++) total += each[i];
  return total;
}

static void count_wars(lanes *g, long decks, long rounds, long *out) {
  uint16_t first = 52 * decks - 2, second = 52 * decks - 3, copies = 4 * decks;
  uint16_t least = 65536 % first, other_least = 65536 % second, inverse = 65536 / copies + 1;
  vector words[4 * GROUPS], zero = BITS(setzero)(), two = OP(set1_epi16)(2);
  vector v_first = OP(set1_epi16)(first), v_second = OP(set1_epi16)(second);
  vector v_inverse = OP(set1_epi16)(inverse), v_copies = OP(set1_epi16)(copies);
  vector v_least = OP(set1_epi16)(least), v_other_least = OP(set1_epi16)(other_least);
  vector v_tied = OP(set1_epi16)(copies - 3);
  long done = 0, won = 0, tied = 0;
  while (rounds - done >= 128) {
    long fills = (rounds - done) / 128;
    if (fills > 4000) fills = 4000; /* at most eight rounds each: the counters cannot overflow */
    vector counts = zero, wins = zero, under = zero;
    for (long step = 0; step < fills; step++) {
      fill(g, words, 4);
      for (int i = 0; i < 2 * GROUPS; i++) {
        vector word = words[i], next_word = words[i + 2 * GROUPS];
        vector card = OP(add_epi16)(OP(mulhi_epu16)(word, v_first), two);
        vector dealers = OP(mulhi_epu16)(next_word, v_second);
        vector lower = OP(mullo_epi16)(OP(mulhi_epu16)(card, v_inverse), v_copies);
        mask fits = both(at_least(OP(mullo_epi16)(word, v_first), v_least),
                         at_least(OP(mullo_epi16)(next_word, v_second), v_other_least));
        counts = counted(counts, fits);
        wins = counted(wins, both(above(lower, OP(add_epi16)(dealers, two)), fits));
        under = counted(under, both(above(OP(add_epi16)(lower, v_tied), dealers), fits));
      }
    }
    long winners = total16(wins);
    done += total16(counts);
    won += winners;
    tied += total16(under) - winners;
  }
  for (int at = 128; done < rounds; at++) {
    if (at == 128) { fill(g, words, 4); at = 0; }
    uint32_t product = ((uint16_t *)words)[at] * (uint32_t)first;
    uint32_t other = ((uint16_t *)words)[at + 128] * (uint32_t)second;
    uint32_t lower = ((product >> 16) + 2) / copies * copies, dealers = other >> 16;
    if ((product & 65535) < least || (other & 65535) < other_least) continue;
    done++;
    if (dealers + 2 < lower) won++;
    else if (dealers + 3 < lower + copies) tied++;
  }
  out[2] += won;
  out[3] += tied;
  out[4] += rounds - won - tied;
}

void limit_pairs(uint64_t *state, uint64_t *war_state, long decks, long rounds, long *out) {
  lanes g, wars;
  memcpy(&g, state, sizeof g);
  memcpy(&wars, war_state, sizeof wars);
  uint16_t others = 52 * decks - 1, least = 65536 % (13 * others);
  vector v13 = OP(set1_epi16)(13), v_others = OP(set1_epi16)(others);
  vector v_copies = OP(set1_epi16)(4 * decks), v_same = OP(set1_epi16)(4 * decks - 1);
  vector v_least = OP(set1_epi16)(least), zero = BITS(setzero)();
  long done = 0, won = 0, tied = 0;
  while (rounds - done >= 64) {
    /* Below 60000 steps a 16-bit counter cannot overflow, nor can the block pass the rounds. */
    long steps = (rounds - done) / 64, winners = 0;
    if (steps > 60000) steps = 60000;
    for (int group = 0; group < GROUPS; group++) {
      lanes own = g; /* a group's states stay in registers */
      vector counts = zero, wins = zero, under = zero;
      for (long step = 0; step < steps; step++) {
        vector word = next(&own, group);
        vector rank = OP(mulhi_epu16)(word, v13), rest = OP(mullo_epi16)(word, v13);
        vector card = OP(mulhi_epu16)(rest, v_others), lower = OP(mullo_epi16)(rank, v_copies);
        mask fits = at_least(OP(mullo_epi16)(rest, v_others), v_least);
        counts = counted(counts, fits);
        wins = counted(wins, both(above(lower, card), fits));
        under = counted(under, both(above(v_same, OP(sub_epi16)(card, lower)), fits));
      }
      for (int row = 0; row < 4; row++) g.s[row][group] = own.s[row][group];
      done += total16(counts);
      winners += total16(wins);
      tied += total16(under);
    }
    won += winners;
    tied -= winners;
  }
  vector words[GROUPS];
  for (int at = 64; done < rounds; at++) {
    if (at == 64) { fill(&g, words, 1); at = 0; }
    uint32_t product = ((uint16_t *)words)[at] * 13u, rest = (product & 65535) * others;
    int card = rest >> 16, lower = (product >> 16) * 4 * decks;
    if ((rest & 65535) < least) continue;
    done++;
    if (card < lower) won++;
    else if (card - lower < 4 * decks - 1) tied++;
  }
  out[0] += won;
  out[1] += rounds - won - tied;
  count_wars(&wars, decks, tied, out);
}

typedef struct {
  long length;
  uint32_t *cards, *swaps, *bounds, *places;
  vector *words;
} stacks;

static void *room(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }

static stacks made(long decks, long length) {
  long count = 52 * decks, swaps = length * SHOES;
  stacks s = {length, room(count * SHOES * 4), room(swaps * 4), room(swaps * 4), room(swaps * 4),
              room((swaps + 127) / 128 * 512)};
  for (long i = 0; i < count * SHOES; i++) s.cards[i] = i / SHOES / (4 * decks);
  for (long i = 0; i < swaps; i++) {
    s.places[i] = i / SHOES;
    s.bounds[i] = count - i / SHOES;
  }
  return s;
}

static void dropped(stacks s) {
  free(s.cards); free(s.swaps); free(s.bounds); free(s.places); free(s.words);
}

static void shuffle(lanes *g, uint64_t *spare, stacks s) {
  long swaps = s.length * SHOES;
  fill(g, s.words, (swaps + 127) / 128 * 4);
  uint32_t *halves = (uint32_t *)s.words;
  int doubtful = 0;
  for (long i = 0; i < swaps; i += QUADS) {
    vector word = *(vector *)(halves + i), bound = *(vector *)(s.bounds + i);
    vector even = OP(mul_epu32)(word, bound);
    vector odd = OP(mul_epu32)(OP(srli_epi64)(word, 32), OP(srli_epi64)(bound, 32));
    vector high = odd_of(OP(srli_epi64)(even, 32), odd);
    vector low = odd_of(even, OP(slli_epi64)(odd, 32));
    *(vector *)(s.swaps + i) = OP(add_epi32)(high, *(vector *)(s.places + i));
    doubtful |= any_below(low, bound);
  }
  if (doubtful)
    for (long i = 0; i < swaps; i++)
      if (halves[i] * s.bounds[i] < (1ull << 32) % s.bounds[i])
        s.swaps[i] = draw(spare, s.bounds[i]) + s.places[i];
  for (long place = 0; place < s.length; place++)
    for (int shoe = 0; shoe < SHOES; shoe++) {
      uint32_t *here = s.cards + place * SHOES + shoe;
      uint32_t *there = s.cards + (long)s.swaps[place * SHOES + shoe] * SHOES + shoe;
      uint32_t card = *here;
      *here = *there;
      *there = card;
    }
}

static long play_box(const uint32_t *cards, long at, long cover, long burns, long todo, long *out) {
  long rounds = 0, won = 0, tied = 0, war_won = 0, war_tied = 0;
  while (at <= cover && rounds < todo) {
    uint32_t card = cards[at * SHOES], dealers = cards[at * SHOES + SHOES];
    at += 2;
    rounds++;
    if (card == dealers) {
      tied++;
      at += burns;
      card = cards[at * SHOES], dealers = cards[at * SHOES + SHOES];
      at += 2;
      war_won += card > dealers;
      war_tied += card == dealers;
    } else
      won += card > dealers;
  }
  out[0] += won;
  out[1] += rounds - won - tied;
  out[2] += war_won;
  out[3] += war_tied;
  out[4] += tied - war_won - war_tied;
  return rounds;
}

static long play_boxes(const uint32_t *cards, long at, long cover, long burns, long burn_mode,
                       long boxes, long todo, long *table) {
  long rounds = 0, stride = burn_mode == 2 ? burns + 1 : 1, extra = burn_mode == 1 ? burns : 0;
  while (at <= cover && rounds < todo) {
    uint32_t dealers = cards[(at + boxes) * SHOES];
    long won = 0, tied = 0;
    for (long box = 0; box < boxes; box++) {
      uint32_t card = cards[(at + box) * SHOES];
      won += card > dealers;
      tied += card == dealers;
    }
    at += boxes + 1;
    rounds++;
    if (!tied) {
      table[won]++;
      continue;
    }
    at += burns;
    long last = at + tied * stride + extra, war_won = 0, war_tied = 0;
    dealers = cards[last * SHOES];
    for (long box = 0; box < tied; box++) {
      uint32_t card = cards[(at + box * stride) * SHOES];
      war_won += card > dealers;
      war_tied += card == dealers;
    }
    at = last + 1;
    table[won + 10 * war_won + 100 * war_tied + 1000 * (tied - war_won - war_tied)]++;
  }
  return rounds;
}

void limit_shoes(uint64_t *state, uint64_t *spare, long decks, long boxes, long length, long start,
                 long cover, long burns, long burn_mode, long rounds, long *out) {
  lanes g;
  memcpy(&g, state, sizeof g);
  stacks s = made(decks, length);
  for (long done = 0; done < rounds;) {
    shuffle(&g, spare, s);
    for (int shoe = 0; shoe < SHOES && done < rounds; shoe++)
      done += boxes == 1 && burn_mode == 0
                  ? play_box(s.cards + shoe, start, cover, burns, rounds - done, out)
                  : play_boxes(s.cards + shoe, start, cover, burns, burn_mode, boxes, rounds - done,
                               out);
  }
  dropped(s);
}

static int war_code(uint64_t *spare, uint64_t decks) {
  uint64_t copies = 4 * decks, card = draw(spare, 52 * decks - 2);
  uint64_t dealers = draw(spare, 52 * decks - 3), lower = (card + 2) / copies * copies;
  return dealers + 2 < lower ? 4 : dealers + 3 < lower + copies ? 5 : 3;
}

/* Bankrolls with the same bet every round; at a tie to war, or to surrender without the money. */
void limit_walks(uint64_t *state, uint64_t *spare, long decks, long bankroll, long need,
                 long need_war, long floor, long goal, const long *nets, const long *surrendered,
                 long rounds_max, long paths, long *finals, long *played) {
  enum { REJECTED, LOST, WON, TIED = 255, BLOCK = 256 };
  lanes g;
  memcpy(&g, state, sizeof g);
  uint16_t others = 52 * decks - 1;
  vector v13 = OP(set1_epi16)(13), v_others = OP(set1_epi16)(others);
  vector v_copies = OP(set1_epi16)(4 * decks), v_same = OP(set1_epi16)(4 * decks - 1);
  vector v_least = OP(set1_epi16)(65536 % (13 * others)), v_lost = OP(set1_epi16)(LOST);
  vector v_won = OP(set1_epi16)(WON), v_tied = OP(set1_epi16)(TIED), zero = BITS(setzero)();
  uint8_t codes[BLOCK] __attribute__((aligned(64)));
  long least = need > floor + 1 ? need : floor + 1, lost = nets[LOST], won = nets[WON];
  int at = BLOCK;
  for (long path = 0; path < paths; path++) {
    long money = bankroll, rounds = 0;
    while (rounds < rounds_max && least <= money && money < goal) {
      if (at == BLOCK) {
        for (int step = 0; step < BLOCK / HALVES; step += 2) {
          vector pair[2];
          for (int i = 0; i < 2; i++) {
            vector word = next(&g, (step + i) % GROUPS);
            vector rank = OP(mulhi_epu16)(word, v13), rest = OP(mullo_epi16)(word, v13);
            vector card = OP(mulhi_epu16)(rest, v_others), lower = OP(mullo_epi16)(rank, v_copies);
            vector code = chosen(above(v_same, OP(sub_epi16)(card, lower)), v_tied, v_lost);
            code = chosen(above(lower, card), v_won, code);
            pair[i] = chosen(at_least(OP(mullo_epi16)(rest, v_others), v_least), code, zero);
          }
          packed(codes + HALVES * step, pair[0], pair[1]);
        }
        at = 0;
      }
      int code = codes[at++];
      if (code > WON) {
        if (code == TIED) code = war_code(spare, decks);
        money += money >= need_war ? nets[code] : surrendered[code];
      } else if (code)
        money += code == WON ? won : lost;
      else
        continue;
      rounds++;
    }
    finals[path] = money;
    played[path] = rounds;
  }
}

/* Rounds with suits, a wheel and a table of keys: src/wartable/sim/general.py for one policy. */
typedef struct {
  long decks, boxes, length, start, cover, burns, burn_mode, suits, trigger_rank, trigger_suits, war;
} terms;

static int slot_of(long card, long dealers, long war_card, long war_dealers, int suits) {
  long rank = card >> 2, war_rank = war_card >> 2;
  if (war_rank != war_dealers >> 2) {
    int slot = war_rank > war_dealers >> 2 ? 2 : 1;
    return suits && card == dealers ? slot + 6 : slot;
  }
  if (!suits) return 3;
  int same_rank = rank == war_rank;
  if (card != dealers) return 3 + same_rank + (war_card == war_dealers ? 2 : 0);
  if (war_card != war_dealers) return 9 + same_rank;
  return 11 + 2 * same_rank + ((card & 3) == (war_card & 3));
}

static int tally(uint64_t *keys, long *counts, uint64_t size, uint64_t key) {
  uint64_t place = (key * 0x9E3779B97F4A7C15ull) >> 40;
  for (uint64_t tried = 0; tried < size; tried++, place++) {
    place &= size - 1;
    if (!counts[place]) keys[place] = key;
    if (keys[place] == key) { counts[place]++; return 1; }
  }
  return 0;
}

static long weighted(uint64_t *spare, const long *weights, long count) {
  long sum = 0;
  for (long i = 0; i < count; i++) sum += weights[i];
  long stop = draw(spare, sum), index = 0;
  while ((stop -= weights[index]) >= 0) index++;
  return index;
}

static long play_general(const uint32_t *cards, long at, const terms *t, uint64_t *key) {
  long boxes = t->boxes, dealers = cards[(at + boxes) * SHOES], first = at, ties = 0, tied[9];
  uint64_t found = 0;
  for (long box = 0; box < boxes; box++) {
    long card = cards[(at + box) * SHOES];
    if (card >> 2 == dealers >> 2) tied[ties++] = box;
    else found += card > dealers;
  }
  at += boxes + 1;
  if (ties && t->war) {
    long stride = t->burn_mode == 2 ? t->burns + 1 : 1;
    at += t->burns;
    long last = at + ties * stride + (t->burn_mode == 1 ? t->burns : 0);
    for (long tie = 0; tie < ties; tie++) {
      long card = cards[(first + tied[tie]) * SHOES], war_card = cards[(at + tie * stride) * SHOES];
      found += 1ull << 4 * slot_of(card, dealers, war_card, cards[last * SHOES], t->suits);
    }
    at = last + 1;
  } else if (ties) {
    for (long tie = 0; tie < ties; tie++)
      found += 1ull << 4 * (t->suits && cards[(first + tied[tie]) * SHOES] == dealers ? 7 : 1);
    found |= 1ull << 60;
  }
  *key = found;
  return at;
}

long limit_general(uint64_t *state, uint64_t *spare, const terms *t, const long *hot_spots,
                   long hot_spot_count, const long *community, long community_count, long rounds,
                   uint64_t *keys, long *counts, long size, long *plain, long *spins) {
  lanes g;
  memcpy(&g, state, sizeof g);
  stacks s = made(t->decks, t->length);
  for (long i = 0; i < 52 * t->decks * SHOES; i++) s.cards[i] = i / SHOES / t->decks;
  for (long done = 0; done < rounds;) {
    shuffle(&g, spare, s);
    for (int shoe = 0; shoe < SHOES; shoe++)
      for (long at = t->start; at <= t->cover && done < rounds; done++) {
        const uint32_t *place = s.cards + at * SHOES + shoe;
        uint32_t dealers = place[t->boxes * SHOES];
        long won = 0, ties = 0;
        for (long box = 0; box < t->boxes; box++) {
          won += place[box * SHOES] >> 2 > dealers >> 2;
          ties += place[box * SHOES] >> 2 == dealers >> 2;
        }
        if (ties) {
          uint64_t key;
          at = play_general(s.cards + shoe, at, t, &key);
          if (!tally(keys, counts, size, key)) return dropped(s), -1;
        } else {
          plain[won]++;
          at += t->boxes + 1;
        }
        if (dealers >> 2 == t->trigger_rank && t->trigger_suits >> (dealers & 3) & 1) {
          long stop = weighted(spare, hot_spots, hot_spot_count) * community_count;
          spins[stop + weighted(spare, community, community_count)]++;
        }
      }
  }
  dropped(s);
  return 0;
}
