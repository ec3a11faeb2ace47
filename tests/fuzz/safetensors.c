/* Fuzz target: any bytes as a safetensors file. What is opened is read completely, looked up, and
 * held against what the format promises.
 *
 * Inputs are kept well-formed at the outside by a mutator that knows where the header ends: it
 * changes the header or the data and corrects the length and the header's checksum, which a blind
 * one would break. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/safetensors.h"
#include "store/safetensors_checksum.h"

enum { LENGTH = 8 };

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void read_tensor(const at_safetensors *s, const at_stored *t)
{
    attend_error err;
    real *numbers = at_alloc(t->len * sizeof *numbers);
    int64_t *whole = at_alloc(t->len * sizeof *whole);
    at_shape shape;
    const at_stored *found;
    require(numbers && whole, "memory");
    require(at_safetensors_find(s, t->name) == t, "a tensor is found by its name");
    require(t->bytes == t->len * at_dtype_size(t->dtype), "bytes follow from the type");
    bool intact = at_safetensors_verify(s, t, &err) >= 0;
    require(intact || at_safetensors_read(s, t, numbers, &err) < 0, "damage is not read");
    at_safetensors_read(s, t, numbers, &err);
    attend_status status = at_safetensors_read_int(s, t, whole, &err);
    require(status >= 0 || !intact || at_dtype_is_float(t->dtype) || t->dtype == ATTEND_DTYPE_U64,
            "whole numbers are read");
    if (at_stored_shape(t, &shape))
        require(at_safetensors_need(s, t->name, shape, &found, &err) >= 0 && found == t, "needed");
    at_free(numbers);
    at_free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_safetensors *s;
    attend_error err = {.status = ATTEND_OK};
    size_t filled = 0;
    if (at_safetensors_open_memory("fuzz", data, size, &s, &err) < 0) {
        require(!s && err.status < 0 && strchr(err.message, ';'), "a message with a remedy");
    } else {
        for (int i = 0; i < at_safetensors_count(s); i++) {
            const at_stored *t = at_safetensors_at(s, i);
            read_tensor(s, t);
            filled += t->bytes;
        }
        for (int i = 0; i < at_safetensors_metadata_count(s); i++) {
            at_metadata m = at_safetensors_metadata_at(s, i);
            require(at_safetensors_metadata(s, m.key) == m.value, "metadata is found by its key");
        }
        uint64_t header;
        memcpy(&header, data, LENGTH);
        require(LENGTH + header + filled == size, "the tensors fill the file");
        at_safetensors_close(s);
    }
    require(at_alloc_live() == 0, "nothing is left allocated");
    return 0;
}

/* ---- for libFuzzer alone --------------------------------------------------------------- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    uint64_t header = 0;
    if (size >= LENGTH)
        memcpy(&header, data, LENGTH);
    if (size < LENGTH || header > size - LENGTH || seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, room);
    size_t tail = size - LENGTH - (size_t)header;
    uint8_t *start = data + LENGTH;
    if (seed % 8 == 1) /* the numbers */
        return size - tail + LLVMFuzzerMutate(start + header, tail, tail + room - size);
    uint8_t *kept = malloc(tail ? tail : 1);
    if (!kept)
        return size;
    memcpy(kept, start + header, tail);
    header = LLVMFuzzerMutate(start, (size_t)header, room - LENGTH - tail);
    memcpy(start + header, kept, tail);
    memcpy(data, &header, LENGTH);
    if (header >= ATTEND_CHECKSUM_TO && !memcmp(start, ATTEND_CHECKSUM_BEGIN, ATTEND_CHECKSUM_AT))
        at_checksum_print(at_header_checksum(start, (size_t)header),
                          (char *)start + ATTEND_CHECKSUM_AT);
    free(kept);
    return LENGTH + (size_t)header + tail;
}
