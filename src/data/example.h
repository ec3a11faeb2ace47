/* One example of a corpus, of whatever kind: what a reader gives, a corpus keeps and a writer
 * takes. All texts are UTF-8. */
#ifndef ATTEND_DATA_EXAMPLE_H
#define ATTEND_DATA_EXAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "text/tokenizer.h"

/* where in the source an answer stands: byte, and character (code point) as files count it */
typedef struct {
    at_text text;
    size_t begin, byte;
} at_answer;

/* which parts an example has beside its source; a part that it has can be empty */
enum {
    ATTEND_HAS_TARGET = 1,   /* a translation, or the second of two sentences */
    ATTEND_HAS_LABEL = 2,    /* a class */
    ATTEND_HAS_QUESTION = 4, /* about the source; with answers, or none where there are none */
    ATTEND_HAS_BREAK = 8,    /* a document begins here */
    ATTEND_HAS_TAGS = 16, /* a tag for each word of the source, in `label`, a space between two */
};

typedef struct {
    unsigned has;
    at_text source, target, label, question;
    at_text id;    /* of a question, or nothing */
    at_text rest;  /* columns that were not read: who made a sentence; or nothing */
    at_text group; /* what must stay together when a corpus is split; nothing: the source */
    const at_answer *answers;
    int answer_count;
    int file; /* which of the corpus's files, and its line there */
    long line;
    bool repaired; /* that line had bytes that were no UTF-8, a byte-order mark, or \r at its end */
} at_example;

/* The byte at which a character of the text begins, or its size for the character behind the last
 * one; false where there are fewer. */
bool at_text_position(at_text t, size_t character, size_t *byte);

/* One example as bytes, and back. Texts of the copy lie in the bytes, answers in the arena; without
 * an arena it has no answers. False without memory. */
void at_example_pack(at_str *out, const at_example *e);
bool at_example_unpack(at_example *e, const void *bytes, at_arena *arena);

#endif
