#include "text/cut_before.h"

#include "text/unicode.h"

enum { FEWEST = 10, ONE_OF = 50 };

void at_cut_marks_count(at_cut_marks *m, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool ends = i + 1 == size || at_space_at(text + i + 1, size - i - 1);
        if ((text[i] != '.' && text[i] != ',') || !ends)
            continue;
        if (i == 0 || at_space_at(text + i - 1, 1))
            m->alone++;
        else
            m->close++;
    }
}

bool at_cut_before(const at_cut_marks *m)
{
    return m->alone >= FEWEST && m->close * ONE_OF <= m->alone;
}
