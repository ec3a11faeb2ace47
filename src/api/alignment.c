/* Alignments: of two directions, by a lexical model, and what words they make translations. */
#include <string.h>

#include "attend.h"
#include "base/file.h"
#include "base/memory.h"
#include "decode/lexical_model.h"
#include "decode/lexicon.h"
#include "decode/links.h"

attend_status attend_links_symmetrise(const char *forward, const char *backward,
                                      attend_symmetrise how, char **out, attend_error *err)
{
    at_str text = {0};
    *out = NULL;
    attend_status status = at_links_symmetrise(forward, backward, how, &text, err);
    at_str_add(&text, "");
    if (status >= 0 && !(*out = at_str_take(&text)))
        status = at_error_memory(err);
    at_str_free(&text);
    return status;
}

static attend_status read_pairs(at_word_lines lines[2], size_t count, const char *const *source,
                                const char *const *target, attend_error *err)
{
    lines[1] = (at_word_lines){.count = 0};
    attend_status status = at_word_lines_read(&lines[0], count, source, err);
    return status < 0 ? status : at_word_lines_read(&lines[1], count, target, err);
}

/* the texts after their list, in one block */
static const char **join(const at_str *text, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += text[i].length + 1;
    const char **list = at_alloc((count + 1) * sizeof *list + size);
    char *at = (char *)(list ? list + count + 1 : NULL);
    for (size_t i = 0; i < count && list; i++) {
        list[i] = memcpy(at, at_str_text(&text[i]), text[i].length + 1);
        at += text[i].length + 1;
    }
    return list;
}

attend_status attend_links_lexical(size_t count, const char *const *source,
                                   const char *const *target, int iterations, const char ***out,
                                   attend_error *err)
{
    at_word_lines lines[2];
    *out = NULL;
    if (iterations < 1)
        return at_error(err, ATTEND_OPTION, "a lexical model needs at least one iteration, not %d",
                        iterations);
    at_str *links = at_alloc_zero(count + 1, sizeof *links);
    attend_status status = read_pairs(lines, count, source, target, err);
    if (status >= 0 && !links)
        status = at_error_memory(err);
    if (status >= 0)
        status = at_lexical_align(&lines[0], &lines[1], iterations, links, err);
    if (status >= 0 && !(*out = join(links, count)))
        status = at_error_memory(err);
    for (size_t i = 0; i < count && links; i++)
        at_str_free(&links[i]);
    at_free(links);
    at_word_lines_free(&lines[0]);
    at_word_lines_free(&lines[1]);
    return status;
}

attend_status attend_lexicon_save(const char *path, size_t count, const char *const *source,
                                  const char *const *target, const char *const *links,
                                  attend_error *err)
{
    at_word_lines lines[2];
    at_str text = {0};
    attend_status status = read_pairs(lines, count, source, target, err);
    if (status >= 0)
        status = at_lexicon_print(&lines[0], &lines[1], links, &text, err);
    if (status >= 0)
        status = at_file_write(path, &text, err);
    at_str_free(&text);
    at_word_lines_free(&lines[0]);
    at_word_lines_free(&lines[1]);
    return status;
}
