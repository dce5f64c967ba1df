/* Sorted strings: found by bisection, and brought together. */
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
