#include "data/clean.h"

#include <stdint.h>

#include "base/utf8.h"
#include "data/finding.h"

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void at_clean(at_str *out, at_text t)
{
    while (t.size && is_blank(t.text[0]))
        t = (at_text){t.text + 1, t.size - 1};
    while (t.size && is_blank(t.text[t.size - 1]))
        t.size--;
    for (size_t at = 0; at < t.size;) {
        uint32_t code;
        int length = at_utf8_get(t.text + at, t.size - at, &code);
        size_t size = length ? (size_t)length : 1;
        at_found found = t.text[at] == ' ' ? 0 : at_look_at_text(t.text + at, size);
        if (found & FOUND(separator))
            at_str_add(out, " ");
        else if (!(found & (FOUND(control) | FOUND(invisible))))
            at_str_add_bytes(out, t.text + at, size);
        at += size;
    }
}
