/* Has somebody cut a text into words before, "a dog , asleep ."? Then its full stops and commas
 * stand alone; at most one of fifty may not, as in abbreviations. Other marks tell nothing: French
 * writes blanks before them.
 *
 * The Penn Treebank of language models has lost both marks, but not "mr.": there the parts that
 * only a cut leaves alone, "<unk>", "n't", "'s", tell, where commas, the ends of lines and whole
 * words such as "it's" do not gainsay them. */
#ifndef ATTEND_TEXT_CUT_BEFORE_H
#define ATTEND_TEXT_CUT_BEFORE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    size_t alone, close; /* marks at the end of what blanks separate: by themselves, or not */
    size_t parts;        /* "<unk>", "n't" and the like by themselves */
    size_t joined;       /* such a part, a comma, or the full stop of a line, not by itself */
} at_cut_marks;

/* Counts those of one text more. */
void at_cut_marks_count(at_cut_marks *m, const char *text, size_t size);

/* What they say; no, where they are too few to say anything. */
bool at_cut_before(const at_cut_marks *m);

#endif
