/* The clean copy: what spoils training is dropped, what can be repaired is repaired. */
#include <string.h>

#include "base/memory.h"
#include "data/check_work.h"
#include "data/clean.h"

static bool is_dropped(at_found found)
{
    for (int i = 0; i < ATTEND_FINDINGS; i++)
        if (found & 1u << i && at_findings[i]->fix == ATTEND_FIX_DROP)
            return true;
    return false;
}

static bool clean_text(at_check_work *w, at_text *t, at_str *clean)
{
    at_str_clear(clean);
    at_clean(clean, *t);
    bool changed = !at_text_same(*t, (at_text){at_str_text(clean), clean->length});
    if (changed)
        *t = (at_text){at_str_text(clean), clean->length};
    if (clean->failed)
        w->status = ATTEND_MEMORY;
    return changed;
}

void at_check_copy_add(at_check_work *w, at_example *e, at_found found)
{
    at_check *c = w->c;
    if (is_dropped(found)) {
        c->dropped++;
        return;
    }
    bool changed = e->repaired;
    if (!(e->has & ATTEND_HAS_QUESTION)) { /* places of answers must stay right */
        changed |= clean_text(w, &e->source, &w->clean[0]);
        changed |= clean_text(w, &e->target, &w->clean[1]);
        changed |= clean_text(w, &e->label, &w->clean[2]);
    }
    if (w->options->to && strcmp(w->options->to, c->format->name) != 0)
        e->rest = (at_text){0};
    c->repaired += changed;
    c->kept++;
    at_export_write(w->copy, e);
}

attend_status at_check_copy_open(at_check_work *w, attend_error *err)
{
    at_check *c = w->c;
    const at_check_options *o = w->options;
    const at_format *format = o->to ? at_format_find(o->to) : c->format;
    if (!format)
        return at_error(err, ATTEND_OPTION,
                        "there is no format \"%.40s\"; attend list formats "
                        "shows them",
                        o->to);
    if (format == &at_format_aligned) {
        const char *two = c->files > 1 ? c->file[1] : c->file[0];
        c->copy[0] = at_export_side(o->fix, c->file[0], two, false);
        c->copy[1] = at_export_side(o->fix, c->file[0], two, true);
    } else
        c->copy[0] = at_strdup(o->fix);
    c->dropped = w->bad;
    if (!c->copy[0] || (format == &at_format_aligned && !c->copy[1]))
        return at_error_memory(err);
    attend_status status = o->keep ? at_export_keep(c->copy[0], c->copy[1], err) : ATTEND_OK;
    if (status < 0)
        return status;
    return at_export_open(c->copy[0], c->copy[1], format, c->has, &w->copy, err);
}
