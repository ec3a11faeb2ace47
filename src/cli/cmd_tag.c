/* attend tag: lines in, a tag for each word out, and the entities that they make. */
#include <string.h>

#include "base/entities.h"
#include "base/json_write.h"
#include "base/memory.h"
#include "cli/encoding_out.h"
#include "cli/line_block.h"

typedef struct {
    bool json, show;
    int max_length, batch;
    at_encoding_settings look;
} tag;

/* clang-format off */
static const at_option options[] = {
    {.name = "json", OPTION_FLAG(tag, json), .group = "Output",
     .help = "Write an object for each line: words, tags, probabilities and entities"},
    {.name = "show", OPTION_FLAG(tag, show), .help = "Write each line with its entities marked",
     .example = {"echo 'Ann lives in Rome' | attend tag model --show", "See the entities"}},
    {.name = "max-length", OPTION_INT(tag, max_length), .value = "256", .min = 4, .max = 1 << 20,
     .meta = "N", .group = "Input",
     .help = "Tokens that are read at once; a longer line is read in parts"},
    {.name = "batch", OPTION_INT(tag, batch), .value = "64", .min = 1, .max = 1 << 16,
     .meta = "N", .help = "Lines at a time; changes nothing but the speed"},
    ENCODING_OPTIONS(tag, look),
    {0}};
/* clang-format on */

typedef struct {
    at_cli *cli;
    const tag *o;
    attend_model *model;
    at_reader in;
    at_line_block lines;
    at_attention_out attention;
    at_str out;
} work;

/* ---- out ------------------------------------------------------------------------------------ */

/* NULL without memory */
static at_word_tag *tags_of(const attend_tagged *t)
{
    at_word_tag *tags = at_alloc((size_t)(t->words + 1) * sizeof *tags);
    for (int i = 0; tags && i < t->words; i++)
        tags[i] = (at_word_tag){t->tag[i], strlen(t->tag[i])};
    return tags;
}

static void write_columns(work *w, const attend_tagged *t)
{
    for (int i = 0; i < t->words; i++)
        at_str_print(&w->out, "%s\t%s\n", t->word[i], t->tag[i]);
    at_str_add(&w->out, "\n");
}

/* [Ann PER] lives in [Rome LOC] */
static void write_marked(work *w, const attend_tagged *t, const at_word_tag *tags)
{
    at_entity e = {.end = 0};
    bool more = at_entity_next(tags, (size_t)t->words, 0, &e);
    for (size_t i = 0; i < (size_t)t->words; i++) {
        at_str_add(&w->out, i ? " " : "");
        at_str_add(&w->out, more && i == e.begin ? w->cli->color ? "\033[7m" : "[" : "");
        at_str_add(&w->out, t->word[i]);
        if (!more || i + 1 != e.end)
            continue;
        at_str_add(&w->out, " ");
        at_str_add_bytes(&w->out, e.type, e.size);
        at_str_add(&w->out, w->cli->color ? "\033[0m" : "]");
        more = at_entity_next(tags, (size_t)t->words, e.end, &e);
    }
    at_str_add(&w->out, "\n");
}

static void add_texts(at_json_out *j, const char *key, int n, const char *const *text)
{
    at_json_array(j, key);
    for (int i = 0; i < n; i++)
        at_json_string(j, NULL, text[i]);
    at_json_end(j);
}

static void add_entities(at_json_out *j, const attend_tagged *t, const at_word_tag *tags)
{
    at_entity e = {.end = 0};
    at_json_array(j, "entities");
    while (at_entity_next(tags, (size_t)t->words, e.end, &e)) {
        at_str text = {0};
        for (size_t i = e.begin; i < e.end; i++) {
            at_str_add(&text, i > e.begin ? " " : "");
            at_str_add(&text, t->word[i]);
        }
        at_json_object(j, NULL);
        at_json_bytes(j, "type", e.type, e.size);
        at_json_string(j, "text", at_str_text(&text));
        at_json_int(j, "begin", (long long)e.begin);
        at_json_int(j, "end", (long long)e.end);
        at_json_end(j);
        at_str_free(&text);
    }
    at_json_end(j);
}

static void write_object(work *w, const attend_tagged *t, const at_word_tag *tags)
{
    at_json_out j = {.out = &w->out};
    at_json_object(&j, NULL);
    at_json_int(&j, "line", (long long)(w->lines.before + t->line + 1));
    add_texts(&j, "words", t->words, t->word);
    add_texts(&j, "tags", t->words, t->tag);
    at_json_array(&j, "probabilities");
    for (int i = 0; i < t->words; i++)
        at_json_real(&j, NULL, t->probability[i], 6);
    at_json_end(&j);
    add_entities(&j, t, tags);
    at_json_end(&j);
    at_str_add(&w->out, "\n");
}

static attend_status write_one(void *user, const attend_tagged *t, attend_error *err)
{
    work *w = user;
    at_word_tag *tags = tags_of(t);
    if (!tags)
        return at_error_memory(err);
    if (w->o->json)
        write_object(w, t, tags);
    else if (w->o->show)
        write_marked(w, t, tags);
    else
        write_columns(w, t);
    at_free(tags);
    attend_status status = at_encoding_out_add(&w->attention, &w->o->look,
                                               w->lines.before + t->line, "", t->encoding, err);
    return status < 0 ? status : at_cli_flush(&w->out, false, err);
}

/* ---- in ------------------------------------------------------------------------------------- */

static attend_status tag_block(work *w, attend_error *err)
{
    attend_tag_options inside;
    attend_tag_defaults(&inside);
    inside.max_length = w->o->max_length;
    inside.batch = w->o->batch;
    inside.attention = w->o->look.attention.path != NULL;
    inside.layer = w->o->look.attention.layer;
    inside.head = w->o->look.attention.head;
    attend_status status = attend_tag(w->model, &inside, w->lines.count, w->lines.line, write_one,
                                      w, err);
    return status < 0 ? status : at_cli_flush(&w->out, true, err);
}

static attend_status open_all(work *w, const char *model, attend_error *err)
{
    const tag *o = w->o;
    if (o->json && o->show)
        return at_error(err, ATTEND_OPTION, "--json and --show write the tags; choose one");
    attend_status status = at_encoding_out_check(&o->look, err);
    if (status >= 0)
        status = at_cli_model_open(w->cli, model, ATTEND_CAN_TAG, &w->model, err);
    if (status >= 0)
        status = at_encoding_out_open(&w->attention, w->cli, &o->look, err);
    if (status >= 0)
        status = at_reader_open(&w->in, w->cli, "-", err);
    w->in.no_zeros = true;
    return status;
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    work w = {.cli = cli, .o = fields, .in = {.file = -1}};
    (void)operands;
    attend_status status = open_all(&w, operand[0], err);
    while (status >= 0 && !w.lines.ended) {
        status = at_line_block_read(&w.lines, &w.in, err);
        if (status >= 0)
            status = tag_block(&w, err);
    }
    if (status >= 0)
        status = at_attention_out_commit(&w.attention, err);
    at_attention_out_free(&w.attention);
    at_reader_close(&w.in);
    at_line_block_free(&w.lines);
    at_str_free(&w.out);
    attend_model_free(w.model);
    return status;
}

static const at_term examples[] = {
    {"attend tag model < sentences.txt > tags.conll", "A word, a tab and its tag on each line"},
    {0}};

const at_command at_command_tag = {
    .usage = {.name = "tag",
              .summary = "Find the tag of each word of standard input",
              .operands = "MODEL",
              .description = "MODEL is a folder with a head for tags of tokens, from the Hugging "
                             "Face hub or made by `attend train --task tag`. Words are what spaces "
                             "separate. An empty line follows each line.",
              .options = options,
              .examples = examples},
    .size = sizeof(tag),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
