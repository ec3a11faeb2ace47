/* Checksums against damage: XXH3 of 64 bits, written as 16 hexadecimal digits, most significant
 * first, as xxhsum -H3 does. They show accidents, not malice.
 *
 *     at_checksum c;
 *     at_checksum_start(&c);
 *     at_checksum_add(&c, data, size);           any number of times
 *     uint64_t sum = at_checksum_end(&c);                                                        */
#ifndef ATTEND_BASE_CHECKSUM_H
#define ATTEND_BASE_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ATTEND_CHECKSUM_DIGITS = 16 };

/* the state of a sum over parts; nothing to release */
typedef struct {
    _Alignas(64) unsigned char state[576];
} at_checksum;

void at_checksum_start(at_checksum *c);
void at_checksum_add(at_checksum *c, const void *data, size_t size);
uint64_t at_checksum_end(const at_checksum *c);

uint64_t at_checksum_of(const void *data, size_t size);

/* Exactly 16 digits, without a NUL; reading takes lower case alone. */
void at_checksum_print(uint64_t sum, char digits[ATTEND_CHECKSUM_DIGITS]);
bool at_checksum_read(const char *digits, uint64_t *sum);

#endif
