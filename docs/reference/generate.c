/* Makes the reference page of the attention mechanisms from the library's own list: attention.md,
 * a picture of each score, scope and pick in attention/, and the weights that the pictures show in
 * attention/weights.json.
 *
 * usage: reference-page FOLDER */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "attend.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/str.h"
#include "example.h"

static const struct {
    const char *part, *title, *text;
} parts[] = {
    {"score", "Scores",
     "How well does key `j` fit the query? Pictures are `SCORE`, with scope `global` and pick "
     "`soft`."},
    {"scope", "Scopes",
     "Which positions may the query see? Each also under the causal mask, which is no scope of its "
     "own. `p` is the position that a window lies around: the step of a recurrent decoder, or the "
     "query's own position. Pictures are `scaled-dot/SCOPE`."},
    {"pick", "Picks", "From scores to weights. Pictures are `scaled-dot/global/PICK`."},
    {"output", "Outputs",
     "What a model says with the context or the weights. An output has no weights of its own, and "
     "so no picture."},
};

static const char introduction[] =
    "# Attention\n"
    "\n"
    "<!-- made by `build/release/reference-page docs/reference`; a test fails when it is stale "
    "-->\n"
    "\n"
    "One attention read takes a query, keys and values, and gives weights and a context, the "
    "weighted\n"
    "sum of the values. Every mechanism here is one choice in a description of four parts, of "
    "which\n"
    "those at the right may be left out:\n"
    "\n"
    "    SCORE/SCOPE/PICK/HEADS          each name[:value[,value]]\n"
    "\n"
    "    additive                        additive/global/soft, without heads\n"
    "    bilinear/window:5/hard          five positions to each side, one of them taken\n"
    "    scaled-dot/expanded:3,4/soft/8  eight heads\n"
    "    dot/hybrid:window,5,0.5         half global, half local\n"
    "\n"
    "A combination that makes no sense is refused with the reason. A masked position has weight "
    "0; a\n"
    "row that sees nothing has zero weights and a zero context. Weights sum to 1 in any other row, "
    "except\n"
    "with `predicted`, where they fade with the distance.\n"
    "\n"
    "To try one by hand: `attend read --example --attention bilinear/window:1`. To see all of them "
    "in a\n"
    "table: `attend list attention --markdown`.\n"
    "\n"
    "**The pictures** are heat maps of weights, a row for each query, a column for each key, dark "
    "for the\n"
    "largest weight of the picture. They all show the same twelve words that look at each other: "
    "nouns and\n"
    "verbs, `N N V N V V V N N V V N`, each of which knows its kind and its place. The noun at "
    "position 8\n"
    "is twice as loud as the others. Where a mechanism learns, its parameters were chosen by hand "
    "to show\n"
    "what it can do. Costs are for n queries and n keys of width d.\n";

static const char heads_text[] =
    "\n"
    "## Heads\n"
    "\n"
    "A number in the fourth place, `scaled-dot/global/soft/8`, projects queries, keys and values, "
    "cuts\n"
    "them into that many slices, reads each on its own, and projects the contexts together "
    "(Vaswani et\n"
    "al. 2017, 3.2.2). Left out, there are no projections. Every score, scope and pick works per "
    "head;\n"
    "their parameters are per head, too: `head.0.score.weight`. Here one head has learned to look "
    "for the\n"
    "kind of a word, one for its place.\n"
    "\n"
    "![weights of two heads](attention/heads.png)\n";

/* ---- reading the example ------------------------------------------------------------------ */

/* the attention that shows a mechanism */
static void describe(at_str *out, const attend_entry *e)
{
    at_str_clear(out);
    at_str_add(out, strcmp(e->part, "score") == 0   ? ""
                    : strcmp(e->part, "scope") == 0 ? "scaled-dot/"
                                                    : "scaled-dot/global/");
    at_str_add(out, e->example);
}

static attend_status draw(const char *path, const attend_reading *r, attend_error *err)
{
    enum { SIDE = 100, MOST = 4 };
    attend_array w = attend_reading_array(r, "weights");
    int heads = w.shape[1] < MOST ? (int)w.shape[1] : MOST, n = (int)w.shape[2];
    static const char *const titles[MOST] = {"head 0", "head 1", "head 2", "head 3"};
    attend_heat_map maps[MOST];
    attend_panel panels[MOST];
    for (int h = 0; h < heads; h++) {
        maps[h] = (attend_heat_map){.title = heads > 1 ? titles[h] : NULL,
                                    .rows = n,
                                    .columns = n,
                                    .weights = w.data + (size_t)(h * n * n),
                                    .hide_scale = 1};
        panels[h] = (attend_panel){.heat_map = &maps[h], .width = SIDE, .height = SIDE};
    }
    attend_figure figure = {.count = heads, .panels = panels};
    return attend_figure_save(&figure, path, err);
}

/* the weights in three digits: more would tell machines apart */
static void note_weights(at_str *out, const char *name, const attend_reading *r)
{
    attend_array w = attend_reading_array(r, "weights");
    size_t rows = w.shape[1] * w.shape[2], columns = w.shape[3];
    at_str_add(out, out->length ? ",\n" : "{\n");
    at_str_add_json(out, name);
    at_str_add(out, ": {\"attention\": ");
    at_str_add_json(out, attend_reading_attention(r));
    at_str_add(out, ", \"weights\": [");
    for (size_t i = 0; i < rows; i++) {
        at_str_add(out, i ? ",\n  [" : "\n  [");
        for (size_t j = 0; j < columns; j++)
            at_str_print(out, "%s%.3f", j ? ", " : "", w.data[i * columns + j]);
        at_str_add(out, "]");
    }
    at_str_add(out, "]}");
}

/* one read of the example: its picture, and its weights in the notes */
static attend_status show(const char *folder, const char *name, const char *attention,
                          at_str *weights, attend_error *err)
{
    attend_read_options o;
    at_example_data data;
    attend_reading *r;
    at_str path = {0};
    attend_read_defaults(&o);
    o.attention = attention;
    at_example_fill(&data, name, &o);
    attend_status status = attend_read(&o, &r, err);
    if (status < 0)
        return status;
    at_str_print(&path, "%s/attention/%s.png", folder, name);
    note_weights(weights, name, r);
    status = path.failed ? at_error_memory(err) : draw(at_str_text(&path), r, err);
    at_str_free(&path);
    attend_reading_free(r);
    return status;
}

/* ---- the page ----------------------------------------------------------------------------- */

/* a line of a cell of a table: no bar ends it */
static void add_line(at_str *out, const char *label, const char *text)
{
    at_str_add(out, label);
    for (; *text; text++)
        at_str_print(out, *text == '|' ? "\\%c" : "%c", *text);
}

/* "window:D", or "additive[:bias]" where the values may be left out; and other names */
static void add_names(at_str *out, const attend_entry *e)
{
    bool optional = strcmp(e->example, e->name) == 0;
    if (e->values)
        at_str_print(out, "<br>**Written** `%s%s:%s%s`", e->name, optional ? "[" : "", e->values,
                     optional ? "]" : "");
    for (const char *name = e->aliases; name && *name;) {
        int length = (int)strcspn(name, " ");
        at_str_print(out, "%s`%.*s`", name == e->aliases ? "<br>**Also called** " : ", ", length,
                     name);
        name += length + (int)strspn(name + length, " ");
    }
}

static void add_mechanism(at_str *out, const attend_entry *e, const char *attention)
{
    bool picture = strcmp(e->part, "output") != 0;
    at_str_print(out, "\n### %s\n\n    %s\n\n", e->name, e->formula);
    at_str_add(out, picture ? "| | |\n| --- | --- |\n" : "");
    if (picture)
        at_str_print(out, "| ![weights of %s](attention/%s.png) | ", attention, e->name);
    add_line(out, "**Use** ", e->use);
    add_line(out, "<br>**Source** ", e->source);
    add_line(out, "<br>**Cost** ", e->cost);
    add_line(out, "<br>**Parameters** ", e->parameters);
    add_names(out, e);
    if (picture && at_example_shows(e->name))
        add_line(out, "<br>**Picture** ", at_example_shows(e->name));
    at_str_add(out, picture ? " |\n" : "\n");
}

static attend_status add_part(at_str *page, at_str *weights, const char *folder, const char *part,
                              attend_error *err)
{
    attend_entry e;
    at_str attention = {0};
    attend_status status = ATTEND_OK;
    for (int i = 0; attend_list("attention", i, &e) && status >= 0; i++) {
        if (strcmp(e.part, part) != 0)
            continue;
        describe(&attention, &e);
        add_mechanism(page, &e, at_str_text(&attention));
        if (strcmp(part, "output") != 0)
            status = show(folder, e.name, at_str_text(&attention), weights, err);
    }
    page->failed |= attention.failed;
    at_str_free(&attention);
    return status;
}

static attend_status make(at_str *page, at_str *weights, const char *folder, attend_error *err)
{
    attend_status status = ATTEND_OK;
    at_str_add(page, introduction);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status >= 0; i++) {
        at_str_print(page, "\n## %s\n\n", parts[i].title);
        at_str_wrap(page, parts[i].text, 0, 0, 100);
        at_str_add(page, "\n");
        status = add_part(page, weights, folder, parts[i].part, err);
        if (status >= 0 && strcmp(parts[i].part, "pick") == 0) {
            at_str_add(page, heads_text);
            status = show(folder, "heads", NULL, weights, err);
        }
    }
    at_str_add(weights, "\n}\n");
    return status;
}

static attend_status write_file(const char *folder, const char *name, const at_str *text,
                                attend_error *err)
{
    at_writer *w;
    char *path = text->failed ? NULL : at_file_join(folder, name);
    if (!path)
        return at_error_memory(err);
    attend_status status = at_writer_open(&w, path, err);
    if (status >= 0) {
        at_writer_write(w, at_str_text(text), text->length);
        status = at_writer_commit(w, err);
    }
    at_free(path);
    return status;
}

static attend_status write_all(const char *folder, attend_error *err)
{
    at_str page = {0}, weights = {0};
    char *pictures = at_file_join(folder, "attention");
    attend_status status = pictures ? at_folder_make(pictures, err) : at_error_memory(err);
    if (status >= 0)
        status = make(&page, &weights, folder, err);
    if (status >= 0)
        status = write_file(folder, "attention/weights.json", &weights, err);
    if (status >= 0)
        status = write_file(folder, "attention.md", &page, err);
    at_free(pictures);
    at_str_free(&page);
    at_str_free(&weights);
    return status;
}

int main(int argc, char **argv)
{
    attend_error err;
    if (argc != 2) {
        fprintf(stderr, "usage: reference-page FOLDER\n");
        return 2;
    }
    if (write_all(argv[1], &err) >= 0)
        return 0;
    fprintf(stderr, "reference-page: %s\n", err.message);
    return 1;
}
