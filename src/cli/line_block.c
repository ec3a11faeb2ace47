#include "cli/line_block.h"

#include <string.h>

#include "base/memory.h"

static attend_status read_lines(at_line_block *b, at_reader *in, attend_error *err)
{
    enum { BLOCK = 4096 };
    do {
        const char *text;
        size_t size;
        int got = at_reader_next(in, &text, &size, err);
        b->ended = got == 0;
        if (got < 0)
            return (attend_status)got;
        if (b->ended)
            break;
        at_str_add_bytes(&b->text, text, size);
        at_str_add_bytes(&b->text, "", 1);
        b->count++;
    } while (b->count < BLOCK && at_reader_ready(in));
    return ATTEND_OK;
}

attend_status at_line_block_read(at_line_block *b, at_reader *in, attend_error *err)
{
    at_str_clear(&b->text);
    b->before += b->count;
    b->count = 0;
    attend_status status = read_lines(b, in, err);
    if (status < 0)
        return status;
    at_free(b->line);
    b->line = at_alloc((b->count + 1) * sizeof *b->line);
    if (b->text.failed || !b->line)
        return at_error_memory(err);
    const char *at = at_str_text(&b->text);
    for (size_t i = 0; i < b->count; i++, at += strlen(at) + 1)
        b->line[i] = at;
    return ATTEND_OK;
}

void at_line_block_free(at_line_block *b)
{
    at_str_free(&b->text);
    at_free(b->line);
}
