/* Fuzz target: any bytes as the file vocab.txt. What is opened encodes, is saved, and is the same
 * when it is opened again. */
#include <unistd.h>

#include "base/file.h"
#include "text.h"
#include "text/wordpiece.h"

static char folder[] = "/tmp/attend-fuzz-vocab-XXXXXX";
static char *path;

static void remove_all(void)
{
    static const char *const names[] = {"vocab.txt", "tokenizer.json", "tokenizer_config.json"};
    for (int i = 0; i < 3; i++) {
        char *file = at_file_join(folder, names[i]);
        unlink(file);
        at_free(file);
    }
    rmdir(folder);
    at_free(path);
}

static void write_vocab(const uint8_t *data, size_t size)
{
    if (!path) {
        require(mkdtemp(folder) != NULL, "a folder is made");
        path = at_file_join(folder, "vocab.txt");
        atexit(remove_all);
    }
    FILE *file = fopen(path, "wb");
    require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0, "a file is written");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_tokenizer *t, *again;
    attend_error err;
    at_str out = {0};
    write_vocab(data, size);
    attend_status status = at_wordpiece_load(path, NULL, &t, &err);
    require(status == ATTEND_OK || status == ATTEND_FORMAT, "read or refused");
    if (status < 0) {
        require(strstr(err.message, "vocab.txt") != NULL, "the message names the file");
        return 0;
    }
    fuzz_encode(t, (const char *)data, size, &out);
    require(at_tokenizer_save(t, folder, &err) == ATTEND_OK, "it is saved");
    require(at_tokenizer_open(folder, &again, &err) == ATTEND_OK, "and opened");
    require(at_tokenizer_size(again) == at_tokenizer_size(t), "with as many pieces");
    at_tokenizer_free(t);
    at_tokenizer_free(again);
    at_str_free(&out);
    char *config = at_file_join(folder, "tokenizer_config.json");
    unlink(config);
    at_free(config);
    return 0;
}
