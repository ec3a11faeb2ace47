/* Feeds files, or every file below folders, to a fuzz target: the main of the builds that have
 * no libFuzzer. Prints how many inputs it ran; a finding is a crash or a sanitizer's report. */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int inputs;

static int replay(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)where;
    if (kind != FTW_F)
        return 0;
    FILE *file = fopen(path, "rb");
    size_t size = (size_t)info->st_size;
    /* exactly as long as the input, so that a sanitizer sees a read past its end */
    uint8_t *data = malloc(size ? size : 1);
    if (!file || !data || fread(data, 1, size, file) != size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    inputs++;
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (nftw(argv[i], replay, 16, FTW_PHYS) != 0) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 1;
        }
    printf("%d inputs\n", inputs);
    return inputs > 0 ? 0 : 1;
}
