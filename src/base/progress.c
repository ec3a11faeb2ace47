#include "base/progress.h"

enum { WIDEST_BAR = 30, NARROWEST_BAR = 5 };

void at_progress_start(at_progress *p, long first, long total, double now)
{
    *p = (at_progress){.first = first, .total = total, .started = now, .shown = -1};
}

bool at_progress_due(at_progress *p, long step, double now)
{
    if (p->shown >= 0 && now - p->shown_at < 0.1 && (step < p->total || step == p->shown))
        return false;
    p->shown = step;
    p->shown_at = now;
    return true;
}

double at_progress_left(const at_progress *p, long step, double now)
{
    double spent = now - p->started - p->aside;
    if (step <= p->first || spent <= 0)
        return -1;
    return spent / (double)(step - p->first) * (double)(p->total - step) + p->ahead;
}

void at_progress_time(at_str *out, double seconds)
{
    long s = (long)(seconds + 0.5);
    if (s >= 3600)
        at_str_print(out, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        at_str_print(out, "%ld:%02ld", s / 60, s % 60);
}

/* eighths of a block where there are such characters */
static void bar(at_str *out, double share, int width, bool utf8)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int eighths = (int)(share * width * 8), full = eighths / 8;
    at_str_repeat(out, utf8 ? "█" : "#", full);
    if (utf8 && eighths % 8)
        at_str_add(out, parts[eighths % 8]);
    at_str_repeat(out, utf8 ? " " : ".", width - full - (utf8 && eighths % 8));
}

void at_progress_line(at_str *out, const at_progress *p, long step, double now, const char *text,
                      int columns, bool utf8)
{
    double share = p->total > 0 ? (double)step / (double)p->total : 1;
    double left = at_progress_left(p, step, now);
    share = share > 1 ? 1 : share;
    at_str rest = {0};
    at_str_print(&rest, "  %ld/%ld  %s", step, p->total, text);
    if (left >= 0) {
        at_str_add(&rest, "  ");
        at_progress_time(&rest, left);
        at_str_add(&rest, " left");
    }
    int width = columns - 7 - at_str_columns(at_str_text(&rest)) - 1;
    width = width > WIDEST_BAR ? WIDEST_BAR : width;
    at_str_print(out, "%3.0f %%", share * 100);
    if (width >= NARROWEST_BAR) {
        at_str_add(out, "  ");
        bar(out, share, width, utf8);
    }
    at_str_add(out, at_str_text(&rest));
    out->failed |= rest.failed;
    at_str_free(&rest);
}
