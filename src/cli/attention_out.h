/* Attention weights of translations as a file, by the end of its name:
 *
 *     .jsonl            every hypothesis, or sentence, a line
 *     .txt              every hypothesis drawn with block characters
 *     .png .svg .pdf    the first ATTEND_DRAWN_MOST hypotheses, or sentences, of the first line
 * that has weights
 */
#ifndef ATTEND_CLI_ATTENTION_OUT_H
#define ATTEND_CLI_ATTENTION_OUT_H

#include "base/arena.h"
#include "base/file.h"
#include "cli/cli.h"

enum { ATTEND_DRAWN_MOST = 6 };

typedef struct {
    at_cli *cli;
    const char *path;
    at_writer *file; /* of .jsonl and .txt */
    at_str text;
    bool sentences;  /* a line may have several: .jsonl tells which; set it after opening */
    at_arena memory; /* of what is drawn: */
    attend_heat_map map[ATTEND_DRAWN_MOST];
    int drawn;
    size_t line;      /* of these */
    size_t maps;      /* that came, drawn or not */
    size_t last_line; /* the line that came last, */
    int of_line;      /* and how many hypotheses or sentences of it */
} at_attention_out;

/* Is that a name such a file can have, is none there that may not be replaced, and can it be
 * made? */
attend_status at_attention_out_check(const char *path, bool overwrite, attend_error *err);

/* A path of NULL takes nothing and writes nothing. */
attend_status at_attention_out_open(at_attention_out *a, at_cli *cli, const char *path,
                                    bool overwrite, attend_error *err);
attend_status at_attention_out_add(at_attention_out *a, size_t line, const attend_translation *t,
                                   attend_error *err);
attend_status at_attention_out_commit(at_attention_out *a, attend_error *err);
void at_attention_out_free(at_attention_out *a);

/* The heat map of a translation, which is borrowed. */
attend_heat_map at_attention_map(const attend_translation *t);

/* Appends it as text. */
attend_status at_attention_text(at_str *out, const attend_translation *t, attend_text_style style,
                                attend_error *err);

#endif
