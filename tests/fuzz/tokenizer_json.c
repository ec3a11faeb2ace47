/* Fuzz target: any bytes as the file tokenizer.json, of any type of model. */
#include "base/json.h"
#include "text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *root;
    attend_error err;
    at_tokenizer *t = NULL;
    if (at_json_parse("input", (const char *)data, size, &root, &err) < 0)
        return 0;
    attend_status status = at_tokenizer_read(root, "input", &t, &err);
    json_decref(root);
    require(status == ATTEND_OK || status == ATTEND_FORMAT, "read or refused");
    require((status == ATTEND_OK) == (t != NULL), "refused means nothing is left");
    if (t) {
        at_str out = {0};
        fuzz_encode(t, "The cat [MASK] sat, don't! \xC3\xA9", 29, &out);
        json_t *written = t->kind->write ? t->kind->write(t) : NULL;
        require(!t->kind->write || written, "it is written");
        json_decref(written);
        at_str_free(&out);
        at_tokenizer_free(t);
    }
    return 0;
}
