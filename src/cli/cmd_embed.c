/* attend embed: lines in, a vector for each out, or how alike they are. */
#include <stdio.h>

#include "base/memory.h"
#include "base/number.h"
#include "cli/line_block.h"
#include "cli/models.h"
#include "cli/truncation.h"
#include "cli/vector_file.h"

enum { WHEN_LONG_CUT, WHEN_LONG_ERROR };

typedef struct {
    const char *pooling;
    int normalize; /* 0 as the folder says, 1 yes, 2 no */
    bool json, similarity, overwrite;
    const char *out;
    int max_length, when_long, batch;
} embed;

/* clang-format off */
static const at_option options[] = {
    {.name = "pooling", OPTION_STRING(embed, pooling), .meta = "NAME,NAME", .group = "Vectors",
     .help = "How the states of the tokens become a vector: cls, max, mean or mean_sqrt_len; "
             "several are joined (default: as the model's folder says)",
     .example = {"attend embed model --pooling mean --normalize yes < in > out",
                 "Sentence vectors"}},
    {.name = "normalize", OPTION_CHOICE(embed, normalize), .value = "auto",
     .choices = "auto|yes|no",
     .help = "Scale vectors to length 1: yes, no, or auto as the model's folder says"},
    {.name = "json", OPTION_FLAG(embed, json), .group = "Output",
     .help = "Write an object with the line, its tokens and its vector, not the vector alone"},
    {.name = "out", .letter = 'o', OPTION_PATH(embed, out), .meta = "FILE",
     .help = "Save the vectors as one table [lines, width] of float32: .npy for NumPy, or "
             ".safetensors, where it is called embeddings",
     .example = {"attend embed model texts.txt --out vectors.npy", "A table for NumPy"}},
    {.name = "overwrite", OPTION_FLAG(embed, overwrite), .help = "Let --out replace a file"},
    {.name = "similarity", OPTION_FLAG(embed, similarity),
     .help = "Of two FILEs, write the cosine of each line of the first with each line of the "
             "second: a row for each line of the first, tabs between",
     .example = {"attend embed model --similarity questions.txt answers.txt", "What fits best?"}},
    {.name = "max-length", OPTION_INT(embed, max_length), .value = "0", .min = 0, .max = 1 << 20,
     .meta = "N", .group = "Input",
     .help = "Tokens of a line that are read (default 0: as the model's folder says)"},
    {.name = "when-long", OPTION_CHOICE(embed, when_long), .value = "cut", .choices = "cut|error",
     .help = "What happens with lines of more tokens: cut the rest off, with a warning, or error"},
    {.name = "batch", OPTION_INT(embed, batch), .value = "64", .min = 1, .max = 1 << 16,
     .meta = "N", .help = "Lines at a time; changes nothing but the speed"},
    {0}};
/* clang-format on */

typedef struct {
    at_cli *cli;
    const embed *o;
    attend_model *model;
    at_reader in;
    at_line_block lines;
    at_str out; /* what is written */
    at_truncation cut;
    at_vectors *vectors; /* where they go instead of out; or NULL */
} work;

/* ---- out ------------------------------------------------------------------------------------ */

static void add_vector(at_str *out, const attend_embedded *e)
{
    char number[64];
    for (int i = 0; i < e->width; i++) {
        at_str_add(out, i ? ", " : "[");
        at_str_add(out, at_number_print_real(number, (double)e->vector[i]));
    }
    at_str_add(out, "]");
}

static attend_status write_one(void *user, const attend_embedded *e, attend_error *err)
{
    work *w = user;
    if (e->cut && w->o->when_long == WHEN_LONG_ERROR)
        return at_error(err, ATTEND_FORMAT,
                        "line %zu has more than %d tokens; shorten it, or choose --when-long cut",
                        w->lines.before + e->line + 1, e->tokens);
    at_truncation_note(&w->cut, e->cut, e->tokens);
    if (w->vectors)
        return at_vectors_add(w->vectors, e->vector, e->width, err);
    if (w->o->json)
        at_str_print(&w->out, "{\"line\": %zu, \"tokens\": %d, \"embedding\": ",
                     w->lines.before + e->line + 1, e->tokens);
    add_vector(&w->out, e);
    at_str_add(&w->out, w->o->json ? "}\n" : "\n");
    return at_cli_flush(&w->out, false, err);
}

/* ---- in ------------------------------------------------------------------------------------- */

static attend_status embed_block(work *w, attend_error *err)
{
    static const int normalize[] = {-1, 1, 0};
    attend_embed_options inside;
    attend_embed_defaults(&inside);
    inside.pooling = w->o->pooling;
    inside.normalize = normalize[w->o->normalize];
    inside.max_length = w->o->max_length;
    inside.batch = w->o->batch;
    attend_status status = attend_embed(w->model, &inside, w->lines.count, w->lines.line, write_one,
                                        w, err);
    return status < 0 ? status : at_cli_flush(&w->out, true, err);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* All lines of a file; "-" is standard input. */
static attend_status embed_file(work *w, const char *path, attend_error *err)
{
    attend_status status = at_reader_open(&w->in, w->cli, path, err);
    w->in.no_zeros = w->in.odd.texts = true;
    w->lines = (at_line_block){.count = 0};
    while (status >= 0 && !w->lines.ended) {
        status = at_line_block_read(&w->lines, &w->in, err);
        if (status >= 0)
            status = embed_block(w, err);
    }
    at_reader_close(&w->in);
    at_line_block_free(&w->lines);
    return status;
}

static attend_status embed_files(work *w, int files, char **file, attend_error *err)
{
    attend_status status = files ? ATTEND_OK : embed_file(w, "-", err);
    for (int i = 0; i < files && status >= 0; i++)
        status = embed_file(w, file[i], err);
    return status;
}

static attend_status save(work *w, int files, char **file, attend_error *err)
{
    at_vectors vectors = {0};
    w->vectors = &vectors;
    attend_status status = embed_files(w, files, file, err);
    if (status >= 0)
        status = at_vector_file_save(&vectors, w->o->out, err);
    at_free(vectors.value);
    return status;
}

static attend_status compare(work *w, char **file, attend_error *err)
{
    at_vectors side[2] = {{0}, {0}};
    attend_status status = ATTEND_OK;
    for (int i = 0; i < 2 && status >= 0; i++) {
        w->vectors = &side[i];
        status = embed_file(w, file[i], err);
    }
    if (status >= 0) {
        at_vectors_similarity(&side[0], &side[1], &w->out);
        status = at_cli_flush(&w->out, true, err);
    }
    at_free(side[0].value);
    at_free(side[1].value);
    return status;
}

static attend_status check(const embed *o, int files, attend_error *err)
{
    if (o->similarity && files != 2)
        return at_error(err, ATTEND_OPTION,
                        "--similarity: %d file%s given; give two, whose lines are compared", files,
                        files == 1 ? " is" : "s are");
    if ((o->similarity || o->out) && o->json)
        return at_error(err, ATTEND_OPTION, "--json: --%s writes no lines of vectors; leave it out",
                        o->out ? "out" : "similarity");
    if (o->similarity && o->out)
        return at_error(err, ATTEND_OPTION,
                        "--out is for vectors, not for --similarity; leave one of the two out");
    return o->out ? at_vector_file_check(o->out, o->overwrite, err) : ATTEND_OK;
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    work w = {.cli = cli, .o = fields, .in = {.file = -1}, .cut = {.of = "tokens"}};
    attend_status status = check(w.o, operands - 1, err);
    if (status >= 0)
        status = at_cli_model_open(cli, operand[0], ATTEND_CAN_EMBED, &w.model, err);
    if (status >= 0 && w.o->similarity)
        status = compare(&w, operand + 1, err);
    else if (status >= 0)
        status = w.o->out ? save(&w, operands - 1, operand + 1, err)
                          : embed_files(&w, operands - 1, operand + 1, err);
    if (!cli->common.quiet)
        at_truncation_report(&w.cut, cli, "line", "what follows was left out");
    at_str_free(&w.out);
    attend_model_free(w.model);
    return status;
}

static const at_term examples[] = {
    {"attend embed model < texts.txt > vectors.jsonl", "A vector for each line"}, {0}};

const at_command at_command_embed = {
    .usage = {.name = "embed",
              .summary = "Compute vectors of texts, and how alike they are",
              .operands = "MODEL [FILE]...",
              .description = "MODEL is a folder of BERT, RoBERTa, DistilBERT or "
                             "sentence-transformers, as on the Hugging Face hub or made by `attend "
                             "train`. Lines come from FILEs, or from standard input. A vector is a "
                             "JSON array of numbers on a line of its own.",
              .options = options,
              .examples = examples},
    .size = sizeof(embed),
    .min_operands = 1,
    .max_operands = 100,
    .run = run,
};
