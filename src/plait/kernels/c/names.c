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

/* The place of each wanted string, -1 for those that are not there. */
PLAIT_API void plait_names_locate(const uint8_t *text, const uint64_t *offsets, int64_t count,
                                  const uint8_t *wanted, const uint64_t *ends, int64_t asked,
                                  int64_t *places) {
    uint64_t start = 0;
    for (int64_t k = 0; k < asked; k++) {
        const uint8_t *name = wanted + start;
        uint64_t size = ends[k] - start;
        int64_t low = 0, high = count;
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (less(text, offsets, middle, name, size)) low = middle + 1;
            else high = middle;
        }
        int there = low < count && offsets[low + 1] - offsets[low] == size &&
                    memcmp(text + offsets[low], name, (size_t)size) == 0;
        places[k] = there ? low : -1;
        start = ends[k];
    }
}

/* Some of the strings, one after the other. */
PLAIT_API void plait_names_joined(const uint8_t *text, const uint64_t *starts,
                                  const uint64_t *sizes, int64_t count, uint8_t *joined) {
    for (int64_t k = 0; k < count; k++) {
        memcpy(joined, text + starts[k], (size_t)sizes[k]);
        joined += sizes[k];
    }
}
