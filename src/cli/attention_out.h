/* Attention weights of translations as a file, by the end of its name:
 *
 *     .jsonl            every hypothesis, or sentence, a line: one matrix, and every kind, layer
 * and head .txt              every hypothesis drawn with block characters .png .svg .pdf    the
 * first hypotheses, or sentences, of the first line that has weights (attention_figure.h)
 */
#ifndef ATTEND_CLI_ATTENTION_OUT_H
#define ATTEND_CLI_ATTENTION_OUT_H

#include "base/file.h"
#include "cli/attention_figure.h"
#include "cli/models.h"

/* What a command is told about attention. ATTENTION_OPTIONS are its options; of ATTENTION_CHOICE
 * there are layer and head alone. */
typedef struct {
    const char *path;
    bool overwrite;
    const char *picture, *grid; /* weights are drawn over the picture, or NULL */
    int figure;                 /* at_attention_view */
    int kind;                   /* in the order of the option */
    int layer, head;
    bool text;                     /* of a language model: there is one kind of attention, */
    attend_attention_kind of_text; /* this one */
} at_attention_settings;

enum { ATTEND_KIND_AUTO };

/* clang-format off */
/* use: what is made of the attention */
#define ATTENTION_CHOICE(S, field, use) \
    {.name = "layer", OPTION_INT(S, field.layer), .value = "-1", .min = -1, .max = 1023, \
     .meta = "N", .help = "Layer, counted from 0, that " use "; -1: the last"}, \
    {.name = "head", OPTION_INT(S, field.head), .value = "-1", .min = -1, .max = 1023, \
     .meta = "N", .help = "Head, counted from 0, that " use "; -1: the mean over all"}

#define ATTENTION_FILE(S, field) \
    {.name = "attention-out", OPTION_PATH(S, field.path), .meta = "FILE", .group = "Attention", \
     .help = "Write attention weights: .jsonl has every kind, layer and head of all lines, .txt " \
     "one matrix for each line; .png, .svg and .pdf draw the first line"}, \
    {.name = "figure", OPTION_CHOICE(S, field.figure), .value = "heat", \
     .choices = "heat|heads|grid|steps|animation", \
     .help = "What is drawn: a heat map, lines between tokens with a colour for each head, small " \
     "heat maps of all layers and heads, a frame for each target token, or these frames as an " \
     "animated .svg"}

#define ATTENTION_OPTIONS(S, field) \
    ATTENTION_FILE(S, field), \
    {.name = "picture", OPTION_PATH(S, field.picture), .meta = "FILE", \
     .help = "Draw the weights of each word over this PNG picture, whose patches --src has"}, \
    {.name = "grid", OPTION_STRING(S, field.grid), .meta = "COLUMNSxROWS", \
     .help = "Patches that the picture was cut into (default 8x8)"}, \
    {.name = "kind", OPTION_CHOICE(S, field.kind), .value = "auto", \
     .choices = "auto|cross|encoder|decoder", \
     .help = "Kind of attention that is written: cross-attention, or self-attention of the " \
     "encoder or decoder; auto: cross, in .jsonl all"}, \
    ATTENTION_WHICH(S, field)

#define ATTENTION_WHICH(S, field) \
    {.name = "layer", OPTION_INT(S, field.layer), .value = "-1", .min = -1, .max = 1023, \
     .meta = "N", .help = "Layer, counted from 0, whose attention is used or drawn; -1: the " \
     "last, in .jsonl and --figure grid all"}, \
    {.name = "head", OPTION_INT(S, field.head), .value = "-1", .min = -1, .max = 1023, \
     .meta = "N", .help = "Head, counted from 0, whose attention is used or drawn; -1: the " \
     "mean over all, in .jsonl and --figure heads and grid each"}
/* clang-format on */

typedef struct {
    at_cli *cli;
    at_attention_settings settings;
    at_writer *file; /* of .jsonl and .txt */
    at_str text;
    bool sentences; /* a line may have several: .jsonl tells which; set it after opening */
    at_attention_drawing drawing;
    size_t last_line; /* the line that came last, */
    int of_line;      /* and how many hypotheses or sentences of it */
} at_attention_out;

/* Is the path one that such a file can have, does no file stand there that may not be replaced, can
 * it be made, and do the settings go together? used: layer and head choose what the command does
 * with the weights besides. */
attend_status at_attention_out_check(const at_attention_settings *s, bool used, attend_error *err);

/* Sets what attend_translate is to record, and the layer and head of its weights. Fails if a model
 * does not have them. */
attend_status at_attention_out_ask(const at_attention_settings *s, const at_models *models,
                                   attend_translate_options *o, attend_error *err);

/* A path of NULL takes nothing and writes nothing. */
attend_status at_attention_out_open(at_attention_out *a, at_cli *cli,
                                    const at_attention_settings *s, attend_error *err);
attend_status at_attention_out_add(at_attention_out *a, size_t line, const attend_translation *t,
                                   attend_error *err);
attend_status at_attention_out_commit(at_attention_out *a, attend_error *err);
void at_attention_out_free(at_attention_out *a);

/* Appends the heat map of its weights as text. */
attend_status at_attention_text(at_str *out, const attend_translation *t, attend_text_style style,
                                attend_error *err);

#endif
