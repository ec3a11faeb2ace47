#include "cli/sentence_pairs.h"
#include "attend_data.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"

static attend_status read_features(at_sentence_pairs *p, at_cli *cli,
                                   const at_sentence_pairs_from *from, attend_error *err)
{
    if (from->swap)
        return at_error(err, ATTEND_OPTION,
                        "--swap: feature vectors are read, never written; leave it out");
    cli->input = from->src;
    attend_status status = attend_features_open(from->src, &p->features, err);
    if (status >= 0)
        status = at_lines_read(&p->lines[1], cli, from->tgt, err);
    if (status < 0)
        return status;
    size_t n = attend_features_count(p->features);
    p->count = p->lines[1].lines.count;
    p->target = p->lines[1].lines.line;
    if (n != p->count)
        return at_error(err, ATTEND_FORMAT,
                        "%s has %zu sequence%s and %s %zu line%s; they belong together",
                        at_show(from->src).text, n, n == 1 ? "" : "s", at_show(from->tgt).text,
                        p->count, p->count == 1 ? "" : "s");
    return ATTEND_OK;
}

attend_status at_sentence_pairs_give(const at_sentence_pairs *p, const at_models *m,
                                     attend_translate_options *o, attend_error *err)
{
    o->features = p->features;
    at_models_use(m, o);
    if (at_models_features(m) && !p->features)
        return at_error(err, ATTEND_FORMAT,
                        "the model reads feature vectors: --src FILE.safetensors has them, --tgt "
                        "FILE the lines that belong to them");
    return ATTEND_OK;
}

static attend_status read_files(at_sentence_pairs *p, at_cli *cli,
                                const at_sentence_pairs_from *from, attend_error *err)
{
    if (at_file_ends(from->src, ".safetensors"))
        return read_features(p, cli, from, err);
    attend_status status = at_lines_read(&p->lines[0], cli, from->src, err);
    if (status >= 0)
        status = at_lines_read(&p->lines[1], cli, from->tgt, err);
    if (status < 0)
        return status;
    const attend_lines *a = &p->lines[0].lines, *b = &p->lines[1].lines;
    if (a->count != b->count)
        return at_error(err, ATTEND_FORMAT, "%s has %zu line%s and %s %zu; they belong together",
                        at_show(from->src).text, a->count, a->count == 1 ? "" : "s",
                        at_show(from->tgt).text, b->count);
    p->count = a->count;
    p->source = a->line;
    p->target = b->line;
    return ATTEND_OK;
}

/* source and target of every pair, one after the other, each ended by a zero */
static attend_status gather(at_sentence_pairs *p, attend_examples *examples, const char *path,
                            attend_error *err)
{
    attend_example e;
    int got;
    while ((got = attend_examples_next(examples, &e, err)) > 0) {
        if (!e.source || !e.target)
            return at_error(err, ATTEND_FORMAT, "%s:%ld: no pair of sentences", at_show(path).text,
                            e.line);
        at_str_add_bytes(&p->text, e.source, strlen(e.source) + 1);
        at_str_add_bytes(&p->text, e.target, strlen(e.target) + 1);
        p->count++;
    }
    return got < 0 ? (attend_status)got : p->text.failed ? at_error_memory(err) : ATTEND_OK;
}

static attend_status read_pairs(at_sentence_pairs *p, at_cli *cli,
                                const at_sentence_pairs_from *from, attend_error *err)
{
    attend_data_options o;
    attend_examples *examples;
    attend_data_defaults(&o);
    cli->input = from->data;
    attend_status status = attend_examples_open(from->data, &o, &examples, err);
    if (status < 0)
        return status;
    status = gather(p, examples, from->data, err);
    attend_examples_free(examples);
    if (status >= 0 && !(p->item = at_alloc((2 * p->count + 1) * sizeof *p->item)))
        status = at_error_memory(err);
    const char *at = at_str_text(&p->text);
    for (size_t i = 0; i < 2 * p->count && status >= 0; i++, at += strlen(at) + 1)
        p->item[i % 2 * p->count + i / 2] = at;
    p->source = p->item;
    p->target = p->item ? p->item + p->count : NULL;
    return status;
}

attend_status at_sentence_pairs_read(at_sentence_pairs *p, at_cli *cli,
                                     const at_sentence_pairs_from *from, attend_error *err)
{
    *p = (at_sentence_pairs){.count = 0};
    if (from->data ? from->src || from->tgt : !from->src || !from->tgt)
        return at_error(err, ATTEND_OPTION,
                        "pairs are --src FILE and --tgt FILE, or one file of both");
    attend_status status = from->data ? read_pairs(p, cli, from, err)
                                      : read_files(p, cli, from, err);
    cli->input = status < 0 ? cli->input : NULL;
    if (from->swap && status >= 0) {
        const char *const *source = p->source;
        p->source = p->target;
        p->target = source;
    }
    return status;
}

void at_sentence_pairs_free(at_sentence_pairs *p)
{
    attend_features_free(p->features);
    at_lines_free(&p->lines[0]);
    at_lines_free(&p->lines[1]);
    at_str_free(&p->text);
    at_free(p->item);
    *p = (at_sentence_pairs){.count = 0};
}
