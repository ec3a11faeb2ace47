/* Fuzz target: any bytes in any format; the first byte chooses it, or that it is guessed. The
 * second half is the other of two aligned files. */
#include "data_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    int which = *data % (at_format_count + 1);
    const char *format = which < at_format_count ? at_formats[which]->name : NULL;
    bool two = format && strcmp(format, "aligned") == 0;
    size_t half = two ? size / 2 : size;
    if (two && half < 1)
        return 0;
    read_examples(format, data + 1, half - 1, two ? data + half : NULL, size - half, false);
    read_examples(format, data + 1, half - 1, two ? data + half : NULL, size - half, true);
    return 0;
}
