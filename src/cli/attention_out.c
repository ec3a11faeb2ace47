#include "cli/attention_out.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static bool is_text(const char *path)
{
    return at_file_ends(path, ".jsonl") || at_file_ends(path, ".txt");
}

/* a trace of it is left nowhere */
static attend_status check_makes(const char *path, attend_error *err)
{
    at_writer *file;
    attend_status status = at_writer_open(&file, path, err);
    if (status >= 0)
        at_writer_abort(file);
    return status;
}

attend_status at_attention_out_check(const char *path, bool overwrite, attend_error *err)
{
    if (path && !overwrite && at_file_exists(path))
        return at_error(err, ATTEND_OPTION, "--attention-out: %s exists; --overwrite replaces it",
                        at_show(path).text);
    if (!path)
        return ATTEND_OK;
    if (is_text(path) || at_file_ends(path, ".png") || at_file_ends(path, ".svg")
        || at_file_ends(path, ".pdf"))
        return check_makes(path, err);
    return at_error(err, ATTEND_OPTION,
                    "%s: weights go to a file that ends in .jsonl, .txt, .png, .svg or .pdf",
                    at_show(path).text);
}

attend_status at_attention_out_open(at_attention_out *a, at_cli *cli, const char *path,
                                    bool overwrite, attend_error *err)
{
    *a = (at_attention_out){.cli = cli, .path = path};
    attend_status status = at_attention_out_check(path, overwrite, err);
    return status >= 0 && path && is_text(path) ? at_writer_open(&a->file, path, err) : status;
}

void at_attention_out_free(at_attention_out *a)
{
    at_writer_abort(a->file);
    at_str_free(&a->text);
    at_arena_free(&a->memory);
    *a = (at_attention_out){.path = NULL};
}

/* ---- text ---------------------------------------------------------------------------------- */

/* What is drawn full: a whole, or the largest weight, of frames and of the one row of a classifier,
 * which is spread over all words. */
attend_heat_map at_attention_map(const attend_translation *t)
{
    bool spread = t->frames || t->targets == 1;
    return (attend_heat_map){.rows = t->targets,
                             .columns = t->sources,
                             .weights = t->weights,
                             .row_labels = t->target,
                             .column_labels = t->frames ? NULL : t->source,
                             .column_title = t->frames ? "frame" : NULL,
                             .high = spread ? 0 : 1};
}

attend_status at_attention_text(at_str *out, const attend_translation *t, attend_text_style style,
                                attend_error *err)
{
    attend_heat_map map = at_attention_map(t);
    char *text;
    attend_status status = attend_heat_map_text(&map, &style, &text, err);
    if (status >= 0) {
        at_str_add(out, text);
        at_str_add(out, "\n");
        attend_free(text);
    }
    return status;
}

/* sentence: its number in the line; below 0: lines have but one */
static attend_status add_json(at_str *out, size_t line, int sentence, const attend_translation *t,
                              attend_error *err)
{
    char *text;
    attend_status status = attend_attention_json(t, line, sentence, &text, err);
    if (status < 0)
        return status;
    at_str_print(out, "%s\n", text);
    attend_free(text);
    return ATTEND_OK;
}

/* ---- figures ------------------------------------------------------------------------------- */

static const char *const *copy_texts(at_arena *memory, int n, const char *const *text)
{
    const char **all = at_arena_alloc(memory, (size_t)(n + 1) * sizeof *all);
    for (int i = 0; all && i < n; i++) {
        size_t size = strlen(text[i]) + 1;
        char *copy = at_arena_alloc_small(memory, size);
        if (!copy)
            return NULL;
        all[i] = memcpy(copy, text[i], size);
    }
    return all;
}

static attend_status keep(at_attention_out *a, size_t line, const attend_translation *t,
                          attend_error *err)
{
    a->maps++;
    if ((a->drawn && line != a->line) || a->drawn == ATTEND_DRAWN_MOST)
        return ATTEND_OK;
    size_t n = (size_t)t->targets * (size_t)t->sources;
    double *weights = at_arena_alloc(&a->memory, n * sizeof *weights);
    char *title = at_arena_alloc_small(&a->memory, 64);
    attend_heat_map map = at_attention_map(t);
    map.row_labels = copy_texts(&a->memory, t->targets, t->target);
    if (map.column_labels)
        map.column_labels = copy_texts(&a->memory, t->sources, t->source);
    if (!weights || !title || !map.row_labels || (!t->frames && !map.column_labels))
        return at_error_memory(err);
    map.weights = memcpy(weights, t->weights, n * sizeof *weights);
    snprintf(title, 64, "%d: score %.3f", a->of_line, t->score);
    map.title = title;
    a->map[a->drawn++] = map;
    a->line = line;
    return ATTEND_OK;
}

static attend_status draw(at_attention_out *a, attend_error *err)
{
    attend_panel panel[ATTEND_DRAWN_MOST];
    for (int i = 0; i < a->drawn; i++)
        panel[i] = (attend_panel){.heat_map = &a->map[i]};
    if (a->drawn == 1)
        a->map[0].title = NULL;
    attend_figure figure = {.count = a->drawn, .panels = panel, .across = 3};
    if (a->maps > (size_t)a->drawn && !a->cli->common.quiet)
        fprintf(stderr, "attend %s: %s shows %d of %zu heat maps; .jsonl and .txt have all\n",
                a->cli->command, at_show(a->path).text, a->drawn, a->maps);
    return attend_figure_save(&figure, a->path, err);
}

/* ---- both ---------------------------------------------------------------------------------- */

attend_status at_attention_out_add(at_attention_out *a, size_t line, const attend_translation *t,
                                   attend_error *err)
{
    a->of_line = line == a->last_line ? a->of_line + 1 : 1;
    a->last_line = line;
    if (!a->path || !t->weights)
        return ATTEND_OK;
    if (!a->file)
        return keep(a, line, t, err);
    attend_status status = ATTEND_OK;
    at_str_clear(&a->text);
    if (at_file_ends(a->path, ".jsonl")) {
        status = add_json(&a->text, line, a->sentences ? a->of_line - 1 : -1, t, err);
    } else {
        at_str_print(&a->text, "%zu %d %.6f %s\n\n", line, t->rank, t->score, t->text);
        status = at_attention_text(&a->text, t, (attend_text_style){.columns = 120, .utf8 = 1},
                                   err);
    }
    if (status >= 0 && a->text.failed)
        status = at_error_memory(err);
    if (status >= 0)
        at_writer_write(a->file, at_str_text(&a->text), a->text.length);
    return status;
}

attend_status at_attention_out_commit(at_attention_out *a, attend_error *err)
{
    at_writer *file = a->file;
    a->file = NULL;
    if (!a->path)
        return ATTEND_OK;
    if (file)
        return at_writer_commit(file, err);
    if (!a->drawn)
        return at_error(err, ATTEND_FORMAT,
                        "%s: there is nothing to draw: no line of the input has weights",
                        at_show(a->path).text);
    return draw(a, err);
}
