/* The postings of terms, as kernels/postings.py lays them out. */
#ifndef POSTINGS_H
#define POSTINGS_H

#include "plait.h"

#define BLOCK 128

typedef struct {
    const uint64_t *starts;
    const uint32_t *docs;
    const void *tfs, *dls;
    const uint64_t *blocks;
    const uint32_t *lasts;
    const uint64_t *bounds;
    const uint32_t *pairs;
    int64_t documents, longest;
    int64_t tf_bytes, dl_bytes;  /* of a number */
} Index;

static inline uint32_t number_at(const void *numbers, int64_t bytes, uint64_t i) {
    return bytes == 1   ? ((const uint8_t *)numbers)[i]
           : bytes == 2 ? ((const uint16_t *)numbers)[i]
                        : ((const uint32_t *)numbers)[i];
}

#endif
