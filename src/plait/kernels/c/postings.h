/* The postings of terms, as kernels/postings.py lays them out. */
#ifndef POSTINGS_H
#define POSTINGS_H

#include "plait.h"

#define BLOCK 128

typedef struct {
    const uint32_t *lengths;
    const uint64_t *starts;
    const uint32_t *docs;
    const void *tfs;
    const uint64_t *blocks;
    const uint32_t *lasts;
    const uint64_t *bounds;
    const uint32_t *pairs;
    int64_t documents, longest, width;  /* width: bytes of a tf */
} Index;

static inline uint32_t tf_at(const void *tfs, int64_t width, uint64_t i) {
    return width == 1   ? ((const uint8_t *)tfs)[i]
           : width == 2 ? ((const uint16_t *)tfs)[i]
                        : ((const uint32_t *)tfs)[i];
}

#endif
