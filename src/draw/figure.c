/* The page. Panels stand in a grid; in each of its columns the areas inside the axes start at one
 * x, and in each of its rows at one y, so that axes line up. */
#include "draw/figure.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/child.h"
#include "base/log.h"
#include "base/memory.h"
#include "draw/attention_map.h"
#include "draw/heat.h"
#include "draw/panel.h"
#include "draw/step_frame.h"

enum { MARGIN = 8, SPACE = 14, MAX_PANELS = 1024, MAX_SIDE = 30000 };

/* a column of the grid, or a row of it */
typedef struct {
    double before, rest, start; /* the margin, the area and what follows, where the area starts */
} track;

typedef struct {
    const attend_figure *figure;
    int across, down;
    at_box *box;
    track *column, *row;
    double width, height;
} page;

/* ---- the file's kind ---------------------------------------------------------------------- */

static const struct {
    const char *end;
    at_page page;
} kinds[] = {{".png", ATTEND_PAGE_PNG}, {".svg", ATTEND_PAGE_SVG}, {".pdf", ATTEND_PAGE_PDF}};

static attend_status find_kind(const char *path, at_page *kind, attend_error *err)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (length > 4 && strcasecmp(path + length - 4, kinds[i].end) == 0) {
            *kind = kinds[i].page;
            return ATTEND_OK;
        }
    return at_error(err, ATTEND_OPTION, "%s: a figure's name ends in .png, .svg or .pdf",
                    at_show(path).text);
}

attend_status at_figure_check_path(const char *path, attend_error *err)
{
    at_page kind;
    return find_kind(path, &kind, err);
}

/* ---- the grid ----------------------------------------------------------------------------- */

/* how many of the drawings a panel can have it has */
static int drawings(const attend_panel *p)
{
    return !!p->heat_map + !!p->chart + !!p->heads + !!p->grid + !!p->steps + !!p->picture;
}

static attend_status check_panel(const attend_panel *p, attend_error *err)
{
    return p->heat_map  ? at_heat_map_check(p->heat_map, err)
           : p->chart   ? at_chart_check(p->chart, err)
           : p->heads   ? at_attention_map_check(p->heads, err)
           : p->grid    ? at_attention_map_check(p->grid, err)
           : p->picture ? at_picture_map_check(p->picture, err)
                        : at_steps_check(p->steps, err);
}

static at_panel_measure *measures(const attend_panel *p)
{
    return p->heat_map  ? at_heat_map_measure
           : p->chart   ? at_chart_measure
           : p->heads   ? at_heads_measure
           : p->grid    ? at_grid_measure
           : p->picture ? at_picture_map_measure
                        : at_steps_measure;
}

static at_panel_draw *draws(const attend_panel *p)
{
    return p->heat_map  ? at_heat_map_draw
           : p->chart   ? at_chart_draw
           : p->heads   ? at_heads_draw
           : p->grid    ? at_grid_draw
           : p->picture ? at_picture_map_draw
                        : at_steps_draw;
}

static attend_status check(const attend_figure *f, attend_error *err)
{
    attend_status status = ATTEND_OK;
    if (f->count < 1 || f->count > MAX_PANELS || !f->panels || f->across < 0)
        return at_error(err, ATTEND_OPTION, "figure: %d panels, %d across; it can have 1 to %d",
                        f->count, f->across, MAX_PANELS);
    if (f->resolution < 0 || f->resolution > 2400)
        return at_error(err, ATTEND_OPTION, "figure: a resolution of %d; it can be 1 to 2400",
                        f->resolution);
    for (int i = 0; i < f->count && status >= 0; i++) {
        const attend_panel *p = &f->panels[i];
        if (drawings(p) != 1 || !(p->width >= 0 && p->width <= 5000)
            || !(p->height >= 0 && p->height <= 5000))
            return at_error(
                err, ATTEND_OPTION,
                "figure: panel %d must have one drawing, with sides of 0 to 5000 points", i + 1);
        status = check_panel(p, err);
    }
    return status;
}

static void fit(track *t, double before, double rest)
{
    t->before = fmax(t->before, before);
    t->rest = fmax(t->rest, rest);
}

/* tracks one after the other from `at` on; the end of the last */
static double line_up(track *tracks, int count, double at)
{
    for (int i = 0; i < count; i++) {
        tracks[i].start = at + (i ? SPACE : 0) + tracks[i].before;
        at = tracks[i].start + tracks[i].rest;
    }
    return at;
}

static void lay_out(page *g, at_pen *pen)
{
    for (int i = 0; i < g->figure->count; i++) {
        const attend_panel *p = &g->figure->panels[i];
        at_box *b = &g->box[i];
        *b = measures(p)(pen, p);
        fit(&g->column[i % g->across], b->left, b->width + b->right);
        fit(&g->row[i / g->across], b->top, b->height + b->bottom);
    }
    for (int i = 0; i < g->figure->count; i++) /* titles line up too */
        g->box[i].top = g->row[i / g->across].before;
    double title = at_line_height(pen, g->figure->title, at_font_title);
    g->width = line_up(g->column, g->across, MARGIN) + MARGIN;
    g->height = line_up(g->row, g->down, MARGIN + (title > 0 ? title + 2 * ATTEND_GAP : 0))
                + MARGIN;
    if (g->figure->title)
        g->width = fmax(g->width,
                        at_pen_measure(pen, g->figure->title, at_font_title).width + 2 * MARGIN);
    g->width = ceil(g->width);
    g->height = ceil(g->height);
}

static void draw(const page *g, at_pen *pen)
{
    if (g->figure->title)
        at_pen_text(pen, g->figure->title, at_font_title, g->width / 2, MARGIN, 0.5, 0, 0);
    for (int i = 0; i < g->figure->count; i++) {
        const attend_panel *p = &g->figure->panels[i];
        double x = g->column[i % g->across].start, y = g->row[i / g->across].start;
        draws(p)(pen, p, x, y, &g->box[i]);
    }
}

static void warn(int unknown, const char *path)
{
    if (unknown)
        at_log(ATTEND_LOG_WARNING,
               "%s: no font here has %d of the characters; on Debian, apt install "
               "fonts-wqy-microhei brings Chinese ones",
               at_show(path).text, unknown);
}

/* Measures, opens the file, draws. */
static attend_status make(page *g, at_pen *pen, const char *path, at_page kind, attend_error *err)
{
    at_writer *writer;
    double scale = (g->figure->resolution ? g->figure->resolution : 144) / 72.0;
    lay_out(g, pen);
    if (fmax(g->width, g->height) * (kind == ATTEND_PAGE_PNG ? scale : 1) > MAX_SIDE)
        return at_pen_close(pen,
                            at_error(err, ATTEND_OPTION,
                                     "%s: a figure of %.0f by %.0f points is too large; show less "
                                     "of it",
                                     at_show(path).text, g->width, g->height),
                            err);
    attend_status status = at_writer_open(&writer, path, err);
    if (status < 0)
        return at_pen_close(pen, status, err);
    at_pen_page(pen, writer, kind, g->width, g->height, scale);
    draw(g, pen);
    status = at_pen_close(pen, ATTEND_OK, err);
    if (status < 0) {
        at_writer_abort(writer);
        return status;
    }
    warn(pen->unknown, path);
    return at_writer_commit(writer, err);
}

typedef struct {
    const attend_figure *figure;
    const char *path;
    at_page kind;
} saving;

static attend_status save(void *arg, attend_error *err)
{
    const saving *s = arg;
    const attend_figure *f = s->figure;
    at_pen pen;
    page g = {.figure = f, .across = f->across ? f->across : f->count};
    g.across = g.across < f->count ? g.across : f->count;
    g.down = (f->count + g.across - 1) / g.across;
    g.box = at_alloc_zero((size_t)f->count, sizeof *g.box);
    g.column = at_alloc_zero((size_t)g.across, sizeof *g.column);
    g.row = at_alloc_zero((size_t)g.down, sizeof *g.row);
    attend_status status = g.box && g.column && g.row ? at_pen_open(&pen, err)
                                                      : at_error_memory(err);
    if (status >= 0)
        status = make(&g, &pen, s->path, s->kind, err);
    at_free(g.box);
    at_free(g.column);
    at_free(g.row);
    return status;
}

/* Removes the temporary file of a child that was killed. */
static void sweep(const char *path)
{
    char *folder = at_strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[1] = '\0';
    if (folder)
        at_folder_sweep(slash ? folder : ".");
    at_free(folder);
}

attend_status at_figure_in_child(attend_status (*work)(void *arg, attend_error *err), void *arg,
                                 const char *path, attend_error *err)
{
    enum { SECONDS = 120 };
    attend_status status = at_child_run(work, arg, "drawing a figure", SECONDS, err);
    if (status < 0)
        sweep(path);
    return status;
}

attend_status at_figure_save(const attend_figure *figure, const char *path, attend_error *err)
{
    saving s = {.figure = figure, .path = path};
    attend_status status = find_kind(path, &s.kind, err);
    if (status >= 0)
        status = check(figure, err);
    return status < 0 ? status : at_figure_in_child(save, &s, path, err);
}
