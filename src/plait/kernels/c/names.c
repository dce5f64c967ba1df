/* Sorted strings: found by bisection, brought together, and merged. */
#include "plait.h"

#include <string.h>

/* Whether string i is less than a wanted one, by bytes and then by length. */
static int less(const uint8_t *text, const uint64_t *offsets, int64_t i, const uint8_t *wanted,
                uint64_t size) {
    uint64_t length = offsets[i + 1] - offsets[i];
    int order = memcmp(text + offsets[i], wanted, (size_t)(length < size ? length : size));
    return order < 0 || (order == 0 && length < size);
}

#define TOGETHER 16 /* searches side by side, since each waits for memory most of the time */

/* The place of each wanted string, -1 for those that are not there. */
PLAIT_API void plait_names_locate(const uint8_t *text, const uint64_t *offsets, int64_t count,
                                  const uint8_t *wanted, const uint64_t *ends, int64_t asked,
                                  int64_t *places) {
    for (int64_t first = 0; first < asked; first += TOGETHER) {
        int together = (int)(asked - first < TOGETHER ? asked - first : TOGETHER);
        const uint8_t *names[TOGETHER];
        uint64_t sizes[TOGETHER];
        int64_t lows[TOGETHER];
        for (int k = 0; k < together; k++) {
            uint64_t start = first + k ? ends[first + k - 1] : 0;
            names[k] = wanted + start;
            sizes[k] = ends[first + k] - start;
            lows[k] = 0;
        }
        /* each is at one of the `left` places from its low on, or at the one behind them */
        for (int64_t left = count; left > 0;) {
            int64_t half = (left + 1) / 2;
            for (int k = 0; k < together; k++) PREFETCH(offsets + lows[k] + half - 1);
            for (int k = 0; k < together; k++) PREFETCH(text + offsets[lows[k] + half - 1]);
            for (int k = 0; k < together; k++)
                if (less(text, offsets, lows[k] + half - 1, names[k], sizes[k])) lows[k] += half;
            left -= half;
        }
        for (int k = 0; k < together; k++) {
            int64_t low = lows[k];
            int there = low < count && offsets[low + 1] - offsets[low] == sizes[k] &&
                        memcmp(text + offsets[low], names[k], (size_t)sizes[k]) == 0;
            places[first + k] = there ? low : -1;
        }
    }
}

/* The strings at some places, one after the other, and where each ends; how many bytes they have,
 * of which none is written if there is room for fewer. -1 if there is no such place. */
PLAIT_API int64_t plait_names_gather(const uint8_t *text, const uint64_t *offsets, int64_t count,
                                     const int64_t *places, int64_t asked, int64_t *ends,
                                     uint8_t *gathered, int64_t room) {
    int64_t end = 0;
    for (int64_t k = 0; k < asked; k++) {
        if (places[k] < 0 || places[k] >= count) return -1;
        PREFETCH(offsets + places[k]);
    }
    for (int64_t k = 0; k < asked; k++) {
        PREFETCH(text + offsets[places[k]]);
        end += (int64_t)(offsets[places[k] + 1] - offsets[places[k]]);
        ends[k] = end;
    }
    if (end > room) return end;
    for (int64_t k = 0; k < asked; k++) {
        uint64_t size = offsets[places[k] + 1] - offsets[places[k]];
        memcpy(gathered, text + offsets[places[k]], (size_t)size);
        gathered += size;
    }
    return end;
}

/* The same, each to a place of its own. */
PLAIT_API void plait_names_put(const uint8_t *text, const uint64_t *starts, const uint64_t *sizes,
                               const uint64_t *targets, int64_t count, uint8_t *into) {
    for (int64_t k = 0; k < count; k++)
        memcpy(into + targets[k], text + starts[k], (size_t)sizes[k]);
}

typedef struct {
    const uint8_t *text;
    uint64_t size;
} String;

static String string_at(const uint8_t *text, const uint64_t *offsets, int64_t i) {
    String found = {text + offsets[i], offsets[i + 1] - offsets[i]};
    return found;
}

static int compared(String a, String b) {
    int order = memcmp(a.text, b.text, (size_t)(a.size < b.size ? a.size : b.size));
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* Some strings of several tables in one order: the table of each, its place there, and whether it
   is another one than the one before. at and queue have room for one number of each table. The
   queue holds the tables that are not through, by their next string and then by number. */
PLAIT_API void plait_names_merge(int64_t tables, const uint8_t *const *texts,
                                 const uint64_t *const *offsets, const int64_t *const *picked,
                                 const int64_t *counts, int64_t *at, int64_t *queue,
                                 int32_t *source, int64_t *places, uint8_t *fresh) {
    int64_t waiting = 0, to = 0;
    String before = {NULL, 0};
    for (int64_t t = 0; t < tables; t++) {
        at[t] = 0;
        if (!counts[t]) continue;
        String next = string_at(texts[t], offsets[t], picked[t][0]);
        int64_t place = waiting++;
        for (; place > 0; place--) {
            int64_t other = queue[place - 1];
            if (compared(string_at(texts[other], offsets[other], picked[other][0]), next) <= 0)
                break;
            queue[place] = other;
        }
        queue[place] = t;
    }
    while (waiting > 0) {
        int64_t t = queue[0], place = 0;
        int64_t from = picked[t][at[t]++];
        String string = string_at(texts[t], offsets[t], from);
        source[to] = (int32_t)t;
        places[to] = from;
        fresh[to] = to == 0 || compared(before, string) != 0;
        to++;
        before = string;
        if (at[t] == counts[t]) {
            for (waiting--; place < waiting; place++) queue[place] = queue[place + 1];
            continue;
        }
        String next = string_at(texts[t], offsets[t], picked[t][at[t]]);
        for (; place + 1 < waiting; place++) {
            int64_t other = queue[place + 1];
            int order = compared(
                string_at(texts[other], offsets[other], picked[other][at[other]]), next);
            if (order > 0 || (order == 0 && other > t)) break;
            queue[place] = other;
        }
        queue[place] = t;
    }
}
