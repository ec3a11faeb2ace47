/* Was a text tokenised before, "a dog , asleep ."? Then its full stops and commas stand alone. At
 * most one of fifty may not; one of five where these are abbreviations, "mr. x", which are not
 * commas and do not end lines. Other marks say nothing: French writes spaces before them; nor does
 * an ellipsis between spaces.
 *
 * The Penn Treebank of language models has lost both marks, but not "mr.": there the parts that
 * only a tokenizer leaves alone, "<unk>", "n't", "'s", decide, unless attached marks and whole
 * words such as "it's" contradict them. */
#ifndef ATTEND_TEXT_PRETOKENISED_H
#define ATTEND_TEXT_PRETOKENISED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    size_t alone, close; /* marks at the end of what blanks separate: by themselves, or not */
    size_t attached;     /* of close: commas, and the full stops that end lines */
    size_t parts;        /* "<unk>", "n't" and the like by themselves */
    size_t joined;       /* such a part, not by itself */
} at_pretokenised_marks;

/* Counts those of one text more. */
void at_pretokenised_marks_count(at_pretokenised_marks *m, const char *text, size_t size);

/* What they say; no, where they are too few to say anything. */
bool at_is_pretokenised(const at_pretokenised_marks *m);

#endif
