/* The simulator's method in C with AVX2: the limit that bench/sim.py compares the kernels with.
 *
 * The same generator, the same words, the same cards and the same counts as src/wartable/sim, so
 * that the benchmark can also check that both count alike. Used for nothing else.
 *
 *     cc -O3 -mavx2 -shared -fPIC -o limit.so limit.c
 */
#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16, SHOES = 8, STEPS = 28 };
typedef __m256i vector;
typedef struct { vector s[4][4]; } lanes;

static inline vector turned(vector x, int by) {
  return _mm256_or_si256(_mm256_slli_epi64(x, by), _mm256_srli_epi64(x, 64 - by));
}

static inline vector next(lanes *g, int quarter) {
  vector s0 = g->s[0][quarter], s1 = g->s[1][quarter];
  vector s2 = g->s[2][quarter], s3 = g->s[3][quarter];
  vector word = _mm256_add_epi64(turned(_mm256_add_epi64(s0, s3), 23), s0);
  vector shifted = _mm256_slli_epi64(s1, 17);
  s2 = _mm256_xor_si256(s2, s0);
  s3 = _mm256_xor_si256(s3, s1);
  g->s[1][quarter] = _mm256_xor_si256(s1, s2);
  g->s[0][quarter] = _mm256_xor_si256(s0, s3);
  g->s[2][quarter] = _mm256_xor_si256(s2, shifted);
  g->s[3][quarter] = turned(s3, 45);
  return word;
}

static inline void fill(lanes *g, vector *words, long steps) {
  for (long step = 0; step < steps; step++)
    for (int quarter = 0; quarter < 4; quarter++) words[4 * step + quarter] = next(g, quarter);
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
  uint16_t each[16];
  long total = 0;
  _mm256_storeu_si256((vector *)each, sums);
  for (int i = 0; i < 16; i++) total += each[i];
  return total;
}

static void count_wars(lanes *g, long decks, long rounds, long *out) {
  uint16_t first = 52 * decks - 2, second = 52 * decks - 3, copies = 4 * decks;
  uint16_t least = 65536 % first, other_least = 65536 % second, inverse = 65536 / copies + 1;
  vector words[16], zero = _mm256_setzero_si256(), two = _mm256_set1_epi16(2);
  vector v_first = _mm256_set1_epi16(first), v_second = _mm256_set1_epi16(second);
  vector v_inverse = _mm256_set1_epi16(inverse), v_copies = _mm256_set1_epi16(copies);
  vector v_least = _mm256_set1_epi16(least), v_other_least = _mm256_set1_epi16(other_least);
  vector v_tied = _mm256_set1_epi16(copies - 3);
  long done = 0, won = 0, tied = 0;
  while (rounds - done >= 128 * STEPS) {
    long fills = (rounds - done) / 128;
    if (fills > 4000) fills = 4000; /* eight vectors each: the counters cannot overflow */
    vector counts = zero, wins = zero, under = zero;
    for (long step = 0; step < fills; step++) {
      fill(g, words, 4);
      for (int i = 0; i < 8; i++) {
        vector product = _mm256_mullo_epi16(words[i], v_first);
        vector other = _mm256_mullo_epi16(words[i + 8], v_second);
        vector card = _mm256_add_epi16(_mm256_mulhi_epu16(words[i], v_first), two);
        vector dealers = _mm256_mulhi_epu16(words[i + 8], v_second);
        vector lower = _mm256_mullo_epi16(_mm256_mulhi_epu16(card, v_inverse), v_copies);
        vector fits = _mm256_and_si256(
            _mm256_cmpeq_epi16(_mm256_max_epu16(product, v_least), product),
            _mm256_cmpeq_epi16(_mm256_max_epu16(other, v_other_least), other));
        vector win = _mm256_cmpgt_epi16(lower, _mm256_add_epi16(dealers, two));
        vector not_lost = _mm256_cmpgt_epi16(_mm256_add_epi16(lower, v_tied), dealers);
        counts = _mm256_sub_epi16(counts, fits);
        wins = _mm256_sub_epi16(wins, _mm256_and_si256(win, fits));
        under = _mm256_sub_epi16(under, _mm256_and_si256(not_lost, fits));
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
  vector v13 = _mm256_set1_epi16(13), v_others = _mm256_set1_epi16(others);
  vector v_copies = _mm256_set1_epi16(4 * decks), v_same = _mm256_set1_epi16(4 * decks - 1);
  vector v_least = _mm256_set1_epi16(least), zero = _mm256_setzero_si256();
  long done = 0, won = 0, tied = 0;
  while (rounds - done >= 64 * STEPS) {
    /* Below 20000 steps a 16-bit counter cannot overflow, nor can the block pass the rounds. */
    long steps = (rounds - done) / 64;
    if (steps > 20000) steps = 20000;
    vector counts[4], wins[4], under[4];
    for (int q = 0; q < 4; q++) counts[q] = wins[q] = under[q] = zero;
    for (long step = 0; step < steps; step++)
      for (int q = 0; q < 4; q++) {
        vector word = next(&g, q);
        vector rank = _mm256_mulhi_epu16(word, v13), rest = _mm256_mullo_epi16(word, v13);
        vector card = _mm256_mulhi_epu16(rest, v_others), last = _mm256_mullo_epi16(rest, v_others);
        vector fits = _mm256_cmpeq_epi16(_mm256_max_epu16(last, v_least), last);
        vector lower = _mm256_mullo_epi16(rank, v_copies);
        vector win = _mm256_cmpgt_epi16(lower, card);
        vector not_lost = _mm256_cmpgt_epi16(v_same, _mm256_sub_epi16(card, lower));
        counts[q] = _mm256_sub_epi16(counts[q], fits);
        wins[q] = _mm256_sub_epi16(wins[q], _mm256_and_si256(win, fits));
        under[q] = _mm256_sub_epi16(under[q], _mm256_and_si256(not_lost, fits));
      }
    long winners = 0;
    for (int q = 0; q < 4; q++) {
      done += total16(counts[q]);
      winners += total16(wins[q]);
      tied += total16(under[q]);
    }
    won += winners;
    tied -= winners;
  }
  vector words[4];
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
  vector doubtful = _mm256_setzero_si256();
  for (long i = 0; i < swaps; i += 8) {
    vector word = _mm256_load_si256((vector *)(halves + i));
    vector bound = _mm256_load_si256((vector *)(s.bounds + i));
    vector even = _mm256_mul_epu32(word, bound);
    vector odd = _mm256_mul_epu32(_mm256_srli_epi64(word, 32), _mm256_srli_epi64(bound, 32));
    vector high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
    vector low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
    vector place = _mm256_load_si256((vector *)(s.places + i));
    _mm256_store_si256((vector *)(s.swaps + i), _mm256_add_epi32(high, place));
    vector fits = _mm256_cmpeq_epi32(_mm256_max_epu32(low, bound), low);
    doubtful = _mm256_or_si256(doubtful, _mm256_xor_si256(fits, _mm256_set1_epi32(-1)));
  }
  if (!_mm256_testz_si256(doubtful, doubtful))
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

static long play_boxes(const uint32_t *cards, long at, long cover, long burns, long boxes,
                       long todo, long *table) {
  long rounds = 0;
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
    dealers = cards[(at + tied) * SHOES];
    long war_won = 0, war_tied = 0;
    for (long box = 0; box < tied; box++) {
      uint32_t card = cards[(at + box) * SHOES];
      war_won += card > dealers;
      war_tied += card == dealers;
    }
    at += tied + 1;
    table[won + 10 * war_won + 100 * war_tied + 1000 * (tied - war_won - war_tied)]++;
  }
  return rounds;
}

void limit_shoes(uint64_t *state, uint64_t *spare, long decks, long boxes, long length, long start,
                 long cover, long burns, long rounds, long *out) {
  lanes g;
  memcpy(&g, state, sizeof g);
  stacks s = made(decks, length);
  for (long done = 0; done < rounds;) {
    shuffle(&g, spare, s);
    for (int shoe = 0; shoe < SHOES && done < rounds; shoe++)
      done += boxes == 1
                  ? play_box(s.cards + shoe, start, cover, burns, rounds - done, out)
                  : play_boxes(s.cards + shoe, start, cover, burns, boxes, rounds - done, out);
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
  vector v13 = _mm256_set1_epi16(13), v_others = _mm256_set1_epi16(others);
  vector v_copies = _mm256_set1_epi16(4 * decks), v_same = _mm256_set1_epi16(4 * decks - 1);
  vector v_least = _mm256_set1_epi16(65536 % (13 * others)), v_lost = _mm256_set1_epi16(LOST);
  vector v_won = _mm256_set1_epi16(WON), v_tied = _mm256_set1_epi16(TIED);
  uint8_t codes[BLOCK] __attribute__((aligned(32)));
  long least = need > floor + 1 ? need : floor + 1, lost = nets[LOST], won = nets[WON];
  int at = BLOCK;
  for (long path = 0; path < paths; path++) {
    long money = bankroll, rounds = 0;
    while (rounds < rounds_max && least <= money && money < goal) {
      if (at == BLOCK) {
        for (int step = 0; step < 16; step += 2) {
          vector pair[2];
          for (int i = 0; i < 2; i++) {
            vector word = next(&g, (step + i) % 4);
            vector rank = _mm256_mulhi_epu16(word, v13), rest = _mm256_mullo_epi16(word, v13);
            vector card = _mm256_mulhi_epu16(rest, v_others);
            vector last = _mm256_mullo_epi16(rest, v_others);
            vector lower = _mm256_mullo_epi16(rank, v_copies);
            vector win = _mm256_cmpgt_epi16(lower, card);
            vector not_lost = _mm256_cmpgt_epi16(v_same, _mm256_sub_epi16(card, lower));
            vector code = _mm256_blendv_epi8(v_lost, v_tied, not_lost);
            code = _mm256_blendv_epi8(code, v_won, win);
            vector fits = _mm256_cmpeq_epi16(_mm256_max_epu16(last, v_least), last);
            pair[i] = _mm256_and_si256(code, fits);
          }
          vector packed = _mm256_packus_epi16(pair[0], pair[1]);
          _mm256_store_si256((vector *)(codes + 16 * step), _mm256_permute4x64_epi64(packed, 0xd8));
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
