/* Checksums inside safetensors files, in "__metadata__", which comes first in the header:
 *
 *     "attend.xxh3.header"     of the length of the header (8 bytes) and of the header without
 *                              ATTEND_CHECKSUM_BEGIN and the 16 digits that follow it
 *     "attend.xxh3.tensors"    of the data of each tensor, 16 digits each, in the order of the data
 *
 * A file has both or none. */
#ifndef ATTEND_STORE_SAFETENSORS_CHECKSUM_H
#define ATTEND_STORE_SAFETENSORS_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#include "base/checksum.h"

#define ATTEND_CHECKSUM_HEADER "attend.xxh3.header"
#define ATTEND_CHECKSUM_TENSORS "attend.xxh3.tensors"
#define ATTEND_CHECKSUM_BEGIN "{\"__metadata__\":{\"" ATTEND_CHECKSUM_HEADER "\":\""

enum {
    ATTEND_CHECKSUM_AT = sizeof ATTEND_CHECKSUM_BEGIN - 1, /* where the digits are in the header */
    ATTEND_CHECKSUM_TO = ATTEND_CHECKSUM_AT + ATTEND_CHECKSUM_DIGITS,
};

/* size >= ATTEND_CHECKSUM_TO */
static inline uint64_t at_header_checksum(const void *header, size_t size)
{
    uint64_t length = size;
    at_checksum c;
    at_checksum_start(&c);
    at_checksum_add(&c, &length, sizeof length);
    at_checksum_add(&c, (const char *)header + ATTEND_CHECKSUM_TO, size - ATTEND_CHECKSUM_TO);
    return at_checksum_end(&c);
}

#endif
