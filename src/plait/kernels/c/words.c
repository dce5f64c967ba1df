/* Words: texts normalized and cut into pieces, each piece known by a number, and terms counted.
 *
 * Texts are UTF-8 in which lone surrogates are encoded too. Of other bytes some characters or none
 * are made, but nothing is read beyond the end. */
#include "plait.h"

#include <stdlib.h>
#include <string.h>

enum { SPACED = 1, UNSPACED = 2, MARK = 4, JOINER = 8, SPACE = 16 };
enum { DROPPED = 1, REPLACED = 2, ASK = 4, FIRST = 8, SECOND = 16 };
enum { BY_WORDS = 0, BY_SPACES = 1 };
enum { GIVEN = 0xff, RUN = 0xfe };

/* The character at `at`, and how many bytes it has; 0x110000 for a byte that begins none. */
static inline uint32_t character(const uint8_t *at, const uint8_t *end, int *size) {
    uint32_t lead = at[0];
    *size = 1;
    if (lead < 0x80) return lead;
    int64_t left = end - at;
    if (lead >= 0xc2 && lead < 0xe0 && left > 1) {
        *size = 2;
        return (lead & 0x1f) << 6 | (at[1] & 0x3f);
    }
    if (lead >= 0xe0 && lead < 0xf0 && left > 2) {
        *size = 3;
        return (lead & 0x0f) << 12 | (uint32_t)(at[1] & 0x3f) << 6 | (at[2] & 0x3f);
    }
    if (lead >= 0xf0 && lead < 0xf5 && left > 3) {
        uint32_t found = (lead & 0x07) << 18 | (uint32_t)(at[1] & 0x3f) << 12 |
                         (uint32_t)(at[2] & 0x3f) << 6 | (at[3] & 0x3f);
        if (found < 0x110000) {
            *size = 4;
            return found;
        }
    }
    return 0x110000;
}

/* The first byte from `at` on that is not ASCII. */
static const uint8_t *beyond_ascii(const uint8_t *at, const uint8_t *end) {
    for (uint64_t eight; end - at >= 8; at += 8) {
        memcpy(&eight, at, 8);
        if (eight & 0x8080808080808080u) break;
    }
    while (at < end && *at < 0x80) at++;
    return at;
}

/* Characters that are replaced by others: ascending, with where the UTF-8 for each begins. */
typedef struct {
    const uint32_t *which;
    const uint32_t *starts;
    const uint8_t *text;
    int64_t count;
} Replacements;

static int64_t replacement(const Replacements *all, uint32_t wanted) {
    int64_t low = 0, high = all->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (all->which[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Texts in NFKC without the characters that are dropped; those of which the tables do not tell what
 * becomes of them get the span (-1, -1).
 *
 * ends: (texts,) where each text ends, the first begins at 0; forms: (0x110001,) the flags above
 * and from bit 8 on the rank of the canonical combining class; grows: bytes of the longest
 * replacement; out: room for grows * ends[texts - 1]; spans: (texts, 2). Returns the bytes in out. */
PLAIT_API int64_t plait_words_normalize(const uint8_t *text, const int64_t *ends, int64_t texts,
                                        const uint16_t *forms, const uint32_t *which,
                                        const uint32_t *starts, const uint8_t *replaced,
                                        int64_t count, uint8_t *out, int64_t *spans) {
    Replacements all = {which, starts, replaced, count};
    uint8_t *to = out;
    const uint8_t *at = text;
    for (int64_t row = 0; row < texts; row++) {
        const uint8_t *end = text + ends[row];
        uint8_t *begin = to;
        int first = 0, rank = 0, ask = 0;
        while (at < end) {
            const uint8_t *plain = at;
            at = beyond_ascii(at, end);
            if (at > plain) {
                memcpy(to, plain, (size_t)(at - plain));
                to += at - plain;
                first = forms[at[-1]] & FIRST;
                rank = 0;
                if (at == end) break;
            }
            int size;
            uint32_t found = character(at, end, &size);
            uint16_t form = forms[found];
            if (form & DROPPED) {
                at += size;
                continue;
            }
            if (form & ASK || (form & SECOND && first) || (form >> 8 && form >> 8 < rank)) {
                ask = 1;
                break;
            }
            rank = form >> 8;
            if (form & REPLACED) {
                int64_t place = replacement(&all, found);
                uint32_t bytes = starts[place + 1] - starts[place];
                memcpy(to, replaced + starts[place], bytes);
                to += bytes;
            } else {
                memcpy(to, at, (size_t)size);
                to += size;
            }
            if (!rank) first = form & FIRST;
            at += size;
        }
        spans[row * 2] = ask ? -1 : begin - out;
        spans[row * 2 + 1] = ask ? -1 : to - out;
        if (ask) to = begin;
        at = end;
    }
    return to - out;
}

/* What tells a word from others. Of one of at most 15 bytes: the bytes, and as the last byte the
 * size and from bit 7 on whether it is of a run. Of a longer one a hash, and the size below bits
 * that no short one has. */
typedef struct {
    uint64_t low, high;
} Key;

enum { LONG = 0x7f };

typedef struct {
    Key key;
    uint32_t hash, number;  /* number counts from 1, 0 is a free slot */
} Slot;

typedef struct {
    Slot *slots;
    uint64_t mask;
    uint8_t *bytes;      /* the words one after the other, each before 0xff; runs' after 0xfe */
    uint64_t *starts;    /* (count + 1,) */
    int64_t count, room;
    uint64_t used, held;
    uint64_t *firsts;    /* (known + 1,) where the terms of each word begin */
    uint32_t *terms;
    int64_t known, terms_held;
    uint32_t *places;    /* of each term in the row that is counted */
    int64_t places_held;
} Words;

static int grow(void **array, size_t bytes) {
    void *made = realloc(*array, bytes);
    if (made) *array = made;
    return made != NULL;
}

PLAIT_API void plait_words_free(Words *words) {
    if (!words) return;
    free(words->slots);
    free(words->bytes);
    free(words->starts);
    free(words->firsts);
    free(words->terms);
    free(words->places);
    free(words);
}

PLAIT_API Words *plait_words_new(void) {
    Words *words = calloc(1, sizeof(Words));
    if (!words) return NULL;
    words->mask = 1023;
    words->room = 512;
    words->held = 1 << 13;
    words->slots = calloc((size_t)words->mask + 1, sizeof(Slot));
    words->bytes = malloc((size_t)words->held);
    words->starts = malloc((size_t)(words->room + 1) * sizeof(uint64_t));
    words->firsts = malloc((size_t)(words->room + 1) * sizeof(uint64_t));
    if (!words->slots || !words->bytes || !words->starts || !words->firsts) {
        plait_words_free(words);
        return NULL;
    }
    words->starts[0] = words->firsts[0] = 0;
    return words;
}

/* Bytes as a number, the same on every processor. */
static inline uint64_t four(const uint8_t *at) {
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
}

static inline uint64_t eight(const uint8_t *at) {
    return four(at) | four(at + 4) << 32;
}

static inline uint64_t mixed(uint64_t value) {
    value *= 0x9e3779b97f4a7c15u;
    return value ^ value >> 32;
}

static inline Key key_of(const uint8_t *word, uint64_t size, int run) {
    Key key = {0, 0};
    uint64_t mark = size;
    if (size > 15) {
        for (; size >= 8; size -= 8, word += 8) key.low = mixed(key.low ^ eight(word));
        for (; size; size--) key.low = mixed(key.low ^ *word++);
        key.high = mark & 0xffffffffffffff;
        mark = LONG;
    } else if (size >= 8) {
        key.low = eight(word);
        if (size > 8) key.high = eight(word + size - 8) >> (8 * (16 - size));
    } else if (size >= 4) {
        key.low = four(word) | four(word + size - 4) << (8 * (size - 4));
    } else if (size) {
        key.low = (uint64_t)word[0] | (uint64_t)word[size / 2] << (8 * (size / 2)) |
                  (uint64_t)word[size - 1] << (8 * (size - 1));
    }
    key.high |= (mark | (uint64_t)run << 7) << 56;
    return key;
}

static int more_slots(Words *words) {
    uint64_t mask = words->mask * 2 + 1;
    Slot *slots = calloc((size_t)mask + 1, sizeof(Slot));
    if (!slots) return 0;
    for (uint64_t old = 0; old <= words->mask; old++) {
        if (!words->slots[old].number) continue;
        uint64_t place = words->slots[old].hash & mask;
        while (slots[place].number) place = (place + 1) & mask;
        slots[place] = words->slots[old];
    }
    free(words->slots);
    words->slots = slots;
    words->mask = mask;
    return 1;
}

/* The number of a new word, -1 if there is no memory. */
static int64_t added(Words *words, const uint8_t *word, uint64_t size, int run) {
    if (words->count == words->room) {
        int64_t room = words->room * 2;
        size_t bytes = (size_t)(room + 1) * sizeof(uint64_t);
        if (!grow((void **)&words->starts, bytes) || !grow((void **)&words->firsts, bytes))
            return -1;
        words->room = room;
    }
    if (words->used + size + 2 > words->held) {
        uint64_t held = (words->used + size + 2) * 2;
        if (!grow((void **)&words->bytes, (size_t)held)) return -1;
        words->held = held;
    }
    uint8_t *to = words->bytes + words->used;
    if (run) *to++ = RUN;
    memcpy(to, word, (size_t)size);
    to[size] = GIVEN;
    words->used += size + 1 + (uint64_t)run;
    words->starts[words->count + 1] = words->used;
    return words->count++;
}

/* Whether a word that has a number is a word of more than 15 bytes with the same key. */
static int is_long_word(const Words *words, int64_t number, const uint8_t *word, uint64_t size,
                        int run) {
    return memcmp(words->bytes + words->starts[number] + run, word, (size_t)size) == 0;
}

/* A word, or what stands in an unspaced run. */
typedef struct {
    const uint8_t *at;
    uint64_t size;
    Key key;
    uint32_t hash;
    int run;
} Piece;

/* The number of a piece; -1 if there is no memory. */
static inline int64_t number_of(Words *words, const Piece *piece) {
    const uint8_t *word = piece->at;
    uint64_t size = piece->size;
    Key key = piece->key;
    uint32_t hash = piece->hash;
    int run = piece->run;
    uint64_t place = hash & words->mask;
    for (const Slot *slot; (slot = words->slots + place)->number; place = (place + 1) & words->mask)
        if (slot->key.low == key.low && slot->key.high == key.high &&
            (size < 16 || is_long_word(words, slot->number - 1, word, size, run)))
            return slot->number - 1;
    if ((uint64_t)words->count * 8 > words->mask * 5) {
        if (!more_slots(words)) return -1;
        place = hash & words->mask;
        while (words->slots[place].number) place = (place + 1) & words->mask;
    }
    int64_t number = added(words, word, size, run);
    if (number >= 0) words->slots[place] = (Slot){key, hash, (uint32_t)number + 1};
    return number;
}

enum { AHEAD = 16 };  /* pieces that wait for their slots to come near; a power of two */

/* A text that is being cut. */
typedef struct {
    Words *words;
    const uint8_t *classes;
    const uint8_t *at, *end;
    uint32_t *numbers;
    int64_t pieces, positions;
    int failed;
    Piece waiting[AHEAD];  /* the last ones, by their number modulo AHEAD */
} Cut;

static inline uint8_t class_at(const Cut *cut, const uint8_t *at, int *size) {
    *size = 0;
    return at < cut->end ? cut->classes[character(at, cut->end, size)] : 0;
}

/* Write the number of the piece that waits the longest. */
static inline void settle(Cut *cut, const Piece *piece) {
    int64_t number = number_of(cut->words, piece);
    if (number < 0) cut->failed = 1;
    else *cut->numbers++ = (uint32_t)number;
}

static inline void take(Cut *cut, const uint8_t *start, const uint8_t *end, int run) {
    Piece *piece = cut->waiting + cut->pieces % AHEAD;
    if (cut->pieces >= AHEAD) settle(cut, piece);
    uint64_t size = (uint64_t)(end - start);
    Key key = key_of(start, size, run);
    *piece = (Piece){start, size, key, (uint32_t)mixed(mixed(key.low) ^ key.high), run};
    PREFETCH(cut->words->slots + (piece->hash & cut->words->mask));
    cut->pieces++;
}

/* The numbers of the pieces that wait. */
static void settle_all(Cut *cut) {
    int64_t first = cut->pieces < AHEAD ? 0 : cut->pieces - AHEAD;
    for (; first < cut->pieces; first++) settle(cut, cut->waiting + first % AHEAD);
}

/* The end of the characters of some classes. */
static inline const uint8_t *past(const Cut *cut, const uint8_t *at, uint8_t classes) {
    int size;
    while (class_at(cut, at, &size) & classes) at += size;
    return at;
}

/* The end of a word whose first letter is at `at`; the rules are those of plait.text.words. */
static inline const uint8_t *past_word(const Cut *cut, const uint8_t *at) {
    at = past(cut, at, SPACED | MARK);
    while (at < cut->end) {
        int size;
        const uint8_t *next = at;
        if (*at == '+') {
            if (cut->end - at < 2 || at[1] != '+') break;
            at += 2;
            if (class_at(cut, at, &size) & SPACED) at = past(cut, at, SPACED | MARK);
        } else if (*at == '#') {
            if (class_at(cut, at + 1, &size) & SPACED) break;
            at++;
        } else {
            if (*at == '_') {
                while (next < cut->end && *next == '_') next++;
            } else {
                if (!(class_at(cut, at, &size) & JOINER)) break;
                next += size;
            }
            if (!(class_at(cut, next, &size) & SPACED)) break;
            at = past(cut, next, SPACED | MARK);
        }
    }
    return at;
}

/* The characters of a run, each with its marks, and each two neighbors. */
static void take_run(Cut *cut) {
    const uint8_t *before = NULL;
    int size;
    while (class_at(cut, cut->at, &size) & UNSPACED) {
        const uint8_t *start = cut->at;
        cut->at = past(cut, start + size, MARK);
        take(cut, start, cut->at, 1);
        cut->positions++;
        if (before) take(cut, before, cut->at, 1);
        before = start;
    }
}

static void by_words(Cut *cut) {
    while (cut->at < cut->end) {
        int size;
        uint8_t class = class_at(cut, cut->at, &size);
        if (class & SPACED) {
            const uint8_t *start = cut->at;
            cut->at = past_word(cut, start);
            take(cut, start, cut->at, 0);
            cut->positions++;
        } else if (class & UNSPACED) {
            take_run(cut);
        } else {
            cut->at += size;
        }
    }
}

static void by_spaces(Cut *cut) {
    int size;
    for (;;) {
        cut->at = past(cut, cut->at, SPACE);
        const uint8_t *start = cut->at;
        if (start == cut->end) return;
        while (cut->at < cut->end && !(class_at(cut, cut->at, &size) & SPACE)) cut->at += size;
        take(cut, start, cut->at, 0);
        cut->positions++;
    }
}

static void as_given(Cut *cut) {
    while (cut->at < cut->end) {
        const uint8_t *start = ++cut->at;
        const uint8_t *end = memchr(start, GIVEN, (size_t)(cut->end - start));
        cut->at = end ? end : cut->end;
        take(cut, start, cut->at, 0);
        cut->positions++;
    }
}

/* The words of texts as numbers, given to each word when it is first seen.
 *
 * spans: (texts, 2) where each text is; one that begins with 0xff is cut already, and each word is
 * after one. classes: (0x110001,) of characters; how: by words or by spaces; numbers: room for
 * one a byte; pieces: (texts,) how many of them each text has; positions: (texts,) how many of its
 * pieces count, two neighbors of a run do not. Returns how many words have a number, -1 if there is no memory. */
PLAIT_API int64_t plait_words_cut(Words *words, const uint8_t *text, const int64_t *spans,
                                  int64_t texts, const uint8_t *classes, int32_t how,
                                  uint32_t *numbers, int64_t *pieces, int64_t *positions) {
    Cut cut = {.words = words, .classes = classes, .numbers = numbers};
    for (int64_t row = 0; row < texts; row++) {
        int64_t before = cut.pieces;
        cut.at = text + spans[row * 2];
        cut.end = text + spans[row * 2 + 1];
        cut.positions = 0;
        if (cut.at < cut.end && *cut.at == GIVEN) as_given(&cut);
        else if (how == BY_WORDS) by_words(&cut);
        else by_spaces(&cut);
        if (cut.failed) return -1;
        pieces[row] = cut.pieces - before;
        positions[row] = cut.positions;
    }
    settle_all(&cut);
    return cut.failed ? -1 : words->count;
}

/* The words whose terms are not known yet, each before 0xff, those of runs after 0xfe. */
PLAIT_API const uint8_t *plait_words_unknown(const Words *words, int64_t *size) {
    uint64_t start = words->starts[words->known];
    *size = (int64_t)(words->used - start);
    return words->bytes + start;
}

/* The terms of those words.
 *
 * ends: (words,) where the terms of each end; terms: their numbers; highest: above all numbers so
 * far. Returns -1 if there is no memory. */
PLAIT_API int32_t plait_words_learn(Words *words, const int64_t *ends, const uint32_t *terms,
                                    int64_t highest) {
    int64_t come = words->count - words->known;
    uint64_t first = words->firsts[words->known];
    uint64_t total = first + (come ? (uint64_t)ends[come - 1] : 0);
    if ((int64_t)total > words->terms_held) {
        int64_t held = (int64_t)total * 2;
        if (!grow((void **)&words->terms, (size_t)held * sizeof(uint32_t))) return -1;
        words->terms_held = held;
    }
    if (highest > words->places_held) {
        int64_t held = highest * 2;
        if (!grow((void **)&words->places, (size_t)held * sizeof(uint32_t))) return -1;
        memset(words->places + words->places_held, 0,
               (size_t)(held - words->places_held) * sizeof(uint32_t));
        words->places_held = held;
    }
    if (total > first)
        memcpy(words->terms + first, terms, (size_t)(total - first) * sizeof(uint32_t));
    for (int64_t i = 0; i < come; i++) words->firsts[words->known + i + 1] = first + (uint64_t)ends[i];
    words->known = words->count;
    return 0;
}

/* How many terms, repeated ones too, stand at some words. */
PLAIT_API int64_t plait_words_terms(const Words *words, const uint32_t *numbers, int64_t count) {
    uint64_t total = 0;
    for (int64_t i = 0; i < count; i++)
        total += words->firsts[numbers[i] + 1] - words->firsts[numbers[i]];
    return (int64_t)total;
}

/* The distinct terms of each text, in the order in which they come, and how often each does.
 *
 * numbers, pieces: as cut gave them; terms, tfs: room for what plait_words_terms says; sizes:
 * (texts,) how many there are of each text. Returns how many of all. */
PLAIT_API int64_t plait_words_count(Words *words, const uint32_t *numbers, const int64_t *pieces,
                                    int64_t texts, int32_t *terms, int32_t *tfs, int32_t *sizes) {
    uint32_t *places = words->places;
    int64_t total = 0;
    for (int64_t row = 0; row < texts; row++) {
        uint32_t size = 0;
        for (int64_t i = 0; i < pieces[row]; i++) {
            uint32_t number = *numbers++;
            for (uint64_t k = words->firsts[number]; k < words->firsts[number + 1]; k++) {
                /* A place may be one of an earlier row: then another term is there, or none yet. */
                uint32_t term = words->terms[k], place = places[term];
                if (place < size && (uint32_t)terms[place] == term) {
                    tfs[place]++;
                } else {
                    places[term] = size;
                    terms[size] = (int32_t)term;
                    tfs[size++] = 1;
                }
            }
        }
        sizes[row] = (int32_t)size;
        terms += size;
        tfs += size;
        total += size;
    }
    return total;
}
