#include "cli/attention_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* ---- settings ------------------------------------------------------------------------------- */

static bool is_json(const char *path) { return at_file_ends(path, ".jsonl"); }
static bool is_text(const char *path) { return is_json(path) || at_file_ends(path, ".txt"); }

/* a trace of it is left nowhere */
static attend_status check_makes(const char *path, attend_error *err)
{
    at_writer *file;
    attend_status status = at_writer_open(&file, path, err);
    if (status >= 0)
        at_writer_abort(file);
    return status;
}

static attend_status check_path(const at_attention_settings *s, attend_error *err)
{
    const char *path = s->path;
    if (!s->overwrite && at_file_exists(path))
        return at_error(err, ATTEND_OPTION, "--attention-out: %s exists; --overwrite replaces it",
                        at_show(path).text);
    if (s->figure != ATTEND_VIEW_HEAT && is_text(path))
        return at_error(err, ATTEND_OPTION,
                        "--figure draws: --attention-out needs a file that ends in .svg, .png or "
                        ".pdf, not %s",
                        at_show(path).text);
    if (s->figure == ATTEND_VIEW_ANIMATION && !at_file_ends(path, ".svg"))
        return at_error(err, ATTEND_OPTION,
                        "--figure animation: --attention-out needs a file that ends in .svg, not "
                        "%s; --figure steps draws the frames side by side",
                        at_show(path).text);
    if (is_text(path) || at_file_ends(path, ".png") || at_file_ends(path, ".svg")
        || at_file_ends(path, ".pdf"))
        return check_makes(path, err);
    return at_error(err, ATTEND_OPTION,
                    "%s: weights go to a file that ends in .jsonl, .txt, .png, .svg or .pdf",
                    at_show(path).text);
}

static attend_status check_picture(const at_attention_settings *s, attend_error *err)
{
    if (s->grid && !s->picture)
        return at_error(err, ATTEND_OPTION, "--grid is for --picture FILE, which is missing");
    if (s->picture && (!s->path || is_text(s->path)))
        return at_error(err, ATTEND_OPTION,
                        "--picture draws: it needs --attention-out FILE, .png, .svg or .pdf");
    if (s->picture && (s->figure != ATTEND_VIEW_HEAT || s->kind != ATTEND_KIND_AUTO))
        return at_error(err, ATTEND_OPTION, "--picture is a figure of its own: leave out %s",
                        s->figure != ATTEND_VIEW_HEAT ? "--figure" : "--kind");
    return ATTEND_OK;
}

attend_status at_attention_out_check(const at_attention_settings *s, bool used, attend_error *err)
{
    attend_status status = check_picture(s, err);
    if (status < 0)
        return status;
    if (!s->path && (s->figure != ATTEND_VIEW_HEAT || s->kind != ATTEND_KIND_AUTO))
        return at_error(err, ATTEND_OPTION, "%s is for --attention-out FILE, which is missing",
                        s->figure != ATTEND_VIEW_HEAT ? "--figure" : "--kind");
    if (!s->path && !used && (s->layer >= 0 || s->head >= 0))
        return at_error(err, ATTEND_OPTION,
                        "--layer and --head choose attention weights, and none are asked for: add "
                        "--attention-out FILE or another option that uses them");
    return s->path ? check_path(s, err) : ATTEND_OK;
}

static attend_status open_picture(at_attention_drawing *d, at_cli *cli,
                                  const at_attention_settings *s, attend_error *err)
{
    attend_status status = at_grid_read(s->grid ? s->grid : "8x8", &d->grid, err);
    if (status < 0)
        return status;
    d->view = ATTEND_VIEW_PICTURE;
    cli->input = s->picture;
    status = attend_picture_open(s->picture, &d->picture, err);
    cli->input = status < 0 ? cli->input : NULL;
    return status;
}

static attend_attention_kind kind_of(const at_attention_settings *s)
{
    static const attend_attention_kind kind[] = {ATTEND_ATTENTION_CROSS, ATTEND_ATTENTION_CROSS,
                                                 ATTEND_ATTENTION_ENCODER,
                                                 ATTEND_ATTENTION_DECODER};
    return s->text ? s->of_text : kind[s->kind];
}

/* Are rows of layers and heads needed, or is the one matrix enough? */
static bool is_recorded(const at_attention_settings *s)
{
    return s->path
           && (is_json(s->path) || kind_of(s) != ATTEND_ATTENTION_CROSS
               || s->figure == ATTEND_VIEW_HEADS || s->figure == ATTEND_VIEW_GRID);
}

attend_status at_attention_out_ask(const at_attention_settings *s, const at_models *models,
                                   attend_translate_options *o, attend_error *err)
{
    attend_model_info info = {.size = sizeof info};
    if (kind_of(s) == ATTEND_ATTENTION_CROSS) {
        o->attention_layer = s->layer;
        o->attention_head = s->head;
    }
    if (!is_recorded(s))
        return ATTEND_OK;
    bool all = is_json(s->path) && s->kind == ATTEND_KIND_AUTO;
    if (models->count > 1 && all)
        return ATTEND_OK; /* the mean of their weights is all that they have in common */
    if (models->count > 1)
        return at_error(err, ATTEND_OPTION,
                        "layers and heads are those of one model: leave out the other models, or "
                        "--kind and --figure");
    attend_status status = attend_model_describe(models->model[0], &info, err);
    o->record = all ? info.attention : 1u << kind_of(s);
    o->record_layer = s->layer;
    o->record_head = s->head;
    return status;
}

/* ---- text ----------------------------------------------------------------------------------- */

static attend_status add_map(at_str *out, const attend_heat_map *map, attend_text_style style,
                             attend_error *err)
{
    char *text;
    attend_status status = attend_heat_map_text(map, &style, &text, err);
    if (status >= 0) {
        at_str_add(out, text);
        at_str_add(out, "\n");
        attend_free(text);
    }
    return status;
}

attend_status at_attention_text(at_str *out, const attend_translation *t, attend_text_style style,
                                attend_error *err)
{
    attend_heat_map map = at_attention_heat(t);
    return add_map(out, &map, style, err);
}

static attend_status add_text(at_attention_out *a, size_t line, const attend_translation *t,
                              attend_error *err)
{
    attend_heat_map map;
    at_arena memory = {.first_size = 0};
    at_str_print(&a->text, "%zu %d ", line, t->rank);
    if (!isnan(t->score))
        at_str_print(&a->text, "%.6f ", t->score);
    at_str_print(&a->text, "%s\n\n", t->text);
    attend_status status = at_attention_selected(&a->drawing, t, &memory, &map, err);
    if (status >= 0)
        status = add_map(&a->text, &map, (attend_text_style){.columns = 120, .utf8 = 1}, err);
    at_arena_free(&memory);
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

/* ---- all ------------------------------------------------------------------------------------ */

attend_status at_attention_out_open(at_attention_out *a, at_cli *cli,
                                    const at_attention_settings *s, attend_error *err)
{
    *a = (at_attention_out){
        .cli = cli,
        .settings = *s,
        .drawing = {.view = (at_attention_view)s->figure,
                    .kind = kind_of(s),
                    .recorded = !s->text && kind_of(s) != ATTEND_ATTENTION_CROSS,
                    .layer = s->layer}};
    attend_status status = at_attention_out_check(s, true, err);
    if (status >= 0 && s->picture)
        status = open_picture(&a->drawing, cli, s, err);
    return status >= 0 && s->path && is_text(s->path) ? at_writer_open(&a->file, s->path, err)
                                                      : status;
}

void at_attention_out_free(at_attention_out *a)
{
    at_writer_abort(a->file);
    at_str_free(&a->text);
    at_attention_drawing_free(&a->drawing);
    *a = (at_attention_out){.cli = NULL};
}

attend_status at_attention_out_add(at_attention_out *a, size_t line, const attend_translation *t,
                                   attend_error *err)
{
    a->of_line = line == a->last_line ? a->of_line + 1 : 1;
    a->last_line = line;
    if (!a->settings.path || (!t->weights && !t->attention_count))
        return ATTEND_OK;
    if (!a->file)
        return at_attention_drawing_add(&a->drawing, line, a->of_line, t, err);
    at_str_clear(&a->text);
    attend_status status = is_json(a->settings.path) ? add_json(
                               &a->text, line, a->sentences ? a->of_line - 1 : -1, t, err)
                                                     : add_text(a, line, t, err);
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
    if (!a->settings.path)
        return ATTEND_OK;
    return file ? at_writer_commit(file, err)
                : at_attention_drawing_save(&a->drawing, a->cli, a->settings.path, err);
}
