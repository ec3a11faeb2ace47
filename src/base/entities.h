/* Entities from tags of words, as conlleval counts them: B-PER begins a person, I-PER goes on with
 * one, O is outside; E- and S- of IOBES end one. A tag without a prefix is a type of its own. */
#ifndef ATTEND_BASE_ENTITIES_H
#define ATTEND_BASE_ENTITIES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *type;  /* "PER" */
    size_t size;       /* of the type */
    size_t begin, end; /* words [begin, end) */
} at_entity;

/* a tag of a word, not ended by a zero */
typedef struct {
    const char *text;
    size_t size;
} at_word_tag;

/* The first entity that begins at word `from` or later; false if there is none. */
bool at_entity_next(const at_word_tag *tag, size_t words, size_t from, at_entity *out);

#endif
