/* One mechanism of a comparison: trained and evaluated in a process of its own, so that its memory
 * can be told from that of the others, and kept as NAME/result.json. */
#ifndef ATTEND_CLI_COMPARED_H
#define ATTEND_CLI_COMPARED_H

#include "cli/evaluation.h"
#include "cli/sentence_pairs.h"
#include "cli/table.h"

enum { ATTEND_COMPARED_SETTINGS = 48, ATTEND_COMPARED_MOST = 32 };

typedef struct {
    const char *name;         /* "luong+attention=dot" */
    char *folder;             /* its model, to be at_freed */
    attend_evaluation *found; /* to be attend_freed */
    double words_per_second;  /* of targets in training */
    double memory;            /* of training at its peak, in bytes */
    int beam;                 /* that found is of */
    bool gold;                /* links were compared */
    char measured[64];        /* how else: as of at_comparing */
} at_compared;

/* what all of them share */
typedef struct {
    at_cli *cli;
    const at_sentence_pairs *test;
    const char *const *gold; /* or NULL */
    const char *gold_name;   /* their file */
    int gold_base, beam;
    const char *tokenize; /* of BLEU; NULL: by the language */
    const char *measured; /* its name, and what the links are known by */
    const json_t *data;   /* what is trained and tested on: compared_reuse.h */
    bool overwrite;       /* what is there is not used */
    size_t count;
    attend_setting setting[ATTEND_COMPARED_SETTINGS];
} at_comparing;

/* Do preset and settings go together, whatever the data is? For all of them, before it is read. */
attend_status at_compared_understand(const at_compared *c, const at_comparing *with,
                                     attend_error *err);

/* Do they with the data, and are what is there and its data the same? For all of them, before the
 * first is trained. */
attend_status at_compared_check(const at_compared *c, const at_comparing *with, attend_error *err);

/* Reads the result that is there, or trains (or goes on) and evaluates. */
attend_status at_compared_get(at_compared *c, const at_comparing *with, attend_error *err);

/* Tables for people, and for Markdown. */
void at_compared_tables(at_str *out, const at_compared *all, int count, at_table_format format,
                        int columns);
void at_compared_json(at_str *out, const at_compared *all, int count);

/* BLEU by length, and BLEU against the speed of training. */
attend_status at_compared_draw(const at_compared *all, int count, const char *path,
                               attend_error *err);

#endif
