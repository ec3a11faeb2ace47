/* Fuzz target: any bytes as sentence pairs. */
#include "data_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_examples("pairs", data, size, NULL, 0, false);
    read_examples("pairs", data, size, NULL, 0, true);
    return 0;
}
