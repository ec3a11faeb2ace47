#include "draw/cairo.h"

#include "base/library.h"

static at_cairo table;

#define X(prefix, name) #prefix #name,
static const char *const cairo_names[] = {CAIRO_LIST(X) NULL};
static const char *const pango_names[] = {PANGO_LIST(X) NULL};
static const char *const pango_cairo_names[] = {PANGO_CAIRO_LIST(X) NULL};
static const char *const gobject_names[] = {GOBJECT_LIST(X) NULL};
#undef X

static at_library libraries[] = {
    {"libcairo.so.2", "libcairo2", cairo_names, &table.cairo, false},
    {"libpango-1.0.so.0", "libpango-1.0-0", pango_names, &table.pango, false},
    {"libpangocairo-1.0.so.0", "libpangocairo-1.0-0", pango_cairo_names, &table.pango_cairo, false},
    {"libgobject-2.0.so.0", "libglib2.0-0", gobject_names, &table.gobject, false},
};

const at_cairo *at_cairo_load(attend_error *err)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (at_library_load(&libraries[i], err) < 0)
            return NULL;
    return &table;
}
