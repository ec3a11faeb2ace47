/* What tests of drawings share: files in a folder of their own, and attention to draw. */
#ifndef TESTS_DRAW_HELP_H
#define TESTS_DRAW_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "draw/figure.h"

static char folder[] = "/tmp/attend-draw-XXXXXX", drawn[300];

static inline const char *file_named(const char *name)
{
    snprintf(drawn, sizeof drawn, "%s/%s", folder, name);
    return drawn;
}

static inline int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"f.png", "f.svg", "f.pdf"};
    for (int i = 0; i < 3; i++)
        unlink(file_named(names[i]));
    return rmdir(folder);
}

static inline char *bytes_of(const char *path, size_t *size)
{
    char *bytes;
    attend_error err;
    if (at_file_read(path, 1 << 26, &bytes, size, &err) < 0)
        fail_msg("%s", err.message);
    return bytes;
}

static inline void save(const attend_panel *p, const char *name)
{
    attend_error err;
    attend_figure f = {.count = 1, .panels = p};
    if (at_figure_save(&f, file_named(name), &err) < 0)
        fail_msg("%s", err.message);
}

/* width and height, from the header of a PNG */
static inline void sides(const attend_panel *p, int side[2])
{
    size_t size;
    save(p, "f.png");
    char *bytes = bytes_of(file_named("f.png"), &size);
    const unsigned char *at = (const unsigned char *)bytes + 16;
    for (int i = 0; i < 2; i++, at += 4)
        side[i] = at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
    at_free(bytes);
}

static inline int count_of(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        n++;
    return n;
}

static inline void check_refused(const attend_panel *p, const char *part)
{
    attend_error err;
    attend_figure f = {.count = 1, .panels = p};
    assert_int_equal(at_figure_save(&f, file_named("f.png"), &err), ATTEND_OPTION);
    if (!strstr(err.message, part))
        fail_msg("%s", err.message);
}

/* every allocation that fails is reported, and nothing is leaked */
static inline void check_starved(const attend_panel *p)
{
    attend_status status = ATTEND_MEMORY;
    attend_figure f = {.count = 1, .panels = p};
    long n = 0, live = at_alloc_live();
    for (; status != ATTEND_OK; n++) {
        at_alloc_fail_after(n);
        status = at_figure_save(&f, file_named("f.svg"), NULL);
        at_alloc_fail_after(-1);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_int_equal(at_alloc_live(), live);
    }
    assert_true(n > 3);
}

/* ---- attention ------------------------------------------------------------------------------ */

enum { MAX_TOKENS = 300, MAX_ROWS = 4 * 8 * MAX_TOKENS };

static attend_attention_row rows_made[MAX_ROWS];
static double weights_made[MAX_TOKENS];
static const char *labels_made[MAX_TOKENS];
static const char *const odd_labels[] = {"word",        "我们", "שלום",     "<b>&amp;\"'",
                                         "\xFF broken", "",     "tab\there"};

/* n tokens that attend to each other in every layer and head; causal: to those before them */
static inline attend_attention_map attention(int n, int layers, int heads, int causal)
{
    attend_attention_map m = {.kind = ATTEND_ATTENTION_DECODER,
                              .queries = n,
                              .keys = n,
                              .query_labels = labels_made,
                              .key_labels = labels_made,
                              .rows = rows_made};
    for (int i = 0; i < n; i++) {
        labels_made[i] = odd_labels[i % 7];
        weights_made[i] = 1.0 / (i + 1);
    }
    for (int l = 0; l < layers; l++)
        for (int h = 0; h < heads; h++)
            for (int q = 0; q < n; q++)
                rows_made[m.row_count++] = (attend_attention_row){
                    ATTEND_ATTENTION_DECODER, l, h, q, causal ? q + 1 : n, weights_made};
    return m;
}

#endif
