/* The self-attention of an encoder over a text or a pair, as a file: what attention_out.h writes,
 * with a choice of the tokens that attend and are attended to. */
#ifndef ATTEND_CLI_ENCODING_OUT_H
#define ATTEND_CLI_ENCODING_OUT_H

#include "cli/attention_out.h"

/* in the order of the option */
typedef enum {
    ATTEND_BETWEEN_ALL,
    ATTEND_BETWEEN_A_B, /* tokens of the first text attend to those of the second */
    ATTEND_BETWEEN_B_A,
    ATTEND_BETWEEN_A_A,
    ATTEND_BETWEEN_B_B,
} at_between;

typedef struct {
    at_attention_settings attention; /* its kind is not set */
    int between;                     /* at_between */
    bool hide_special;
} at_encoding_settings;

/* clang-format off */
#define ENCODING_OPTIONS(S, field) \
    {.name = "attention-out", OPTION_PATH(S, field.attention.path), .meta = "FILE", \
     .group = "Attention", \
     .help = "Write self-attention weights: .jsonl has every layer and head of all texts; .png, " \
     ".svg and .pdf draw the first text"}, \
    {.name = "overwrite", OPTION_FLAG(S, field.attention.overwrite), \
     .help = "Let --attention-out replace a file"}, \
    {.name = "figure", OPTION_CHOICE(S, field.attention.figure), .value = "heat", \
     .choices = "heat|heads|grid", \
     .help = "What is drawn: a heat map, lines between tokens with a colour for each head, or " \
     "small heat maps of all layers and heads"}, \
    {.name = "between", OPTION_CHOICE(S, field.between), .value = "all", \
     .choices = "all|a-b|b-a|a-a|b-b", \
     .help = "Tokens that are drawn, of a pair of texts: a-b has the attention of a to b"}, \
    {.name = "hide-special", OPTION_FLAG(S, field.hide_special), \
     .help = "Draw no special tokens such as [CLS] and [SEP]"}, \
    {.name = "layer", OPTION_INT(S, field.attention.layer), .value = "-1", .min = -1, .max = 1023, \
     .meta = "N", .help = "Layer, counted from 0, whose attention is written; -1: all in .jsonl " \
     "and --figure grid, else the last"}, \
    {.name = "head", OPTION_INT(S, field.attention.head), .value = "-1", .min = -1, .max = 1023, \
     .meta = "N", .help = "Head, counted from 0, whose attention is written; -1: the mean in a " \
     "heat map, else all"}
/* clang-format on */

/* before anything is opened */
attend_status at_encoding_out_check(const at_encoding_settings *s, attend_error *err);

attend_status at_encoding_out_open(at_attention_out *a, at_cli *cli, const at_encoding_settings *s,
                                   attend_error *err);

/* Adds the encoding of a line, what was said of it being `text`. e may be NULL: nothing is wanted.
 */
attend_status at_encoding_out_add(at_attention_out *a, const at_encoding_settings *s, size_t line,
                                  const char *text, const attend_encoded_text *e,
                                  attend_error *err);

#endif
