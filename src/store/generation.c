#include "store/generation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"

enum { LENGTH_MAX = 1 << 20, BAD_MAX = 1 << 16 };

/* Keys that are honoured. */
static const char known[] =
    "num_beams|max_length|max_len_a|max_len_b|bar_pad|min_length|no_repeat_ngram_size|"
    "length_penalty|repetition_penalty|early_stopping|do_sample|temperature|top_k|top_p|"
    "bos_token_id|eos_token_id|pad_token_id|decoder_start_token_id|forced_bos_token_id|"
    "forced_eos_token_id|bad_words_ids";

/* Keys of rules that are not here, with the number that turns each off; NAN: any value but null
 * and an empty list turns it on. */
static const struct {
    const char *key;
    double off;
} others[] = {{"num_beam_groups", 1},
              {"diversity_penalty", 0},
              {"typical_p", 1},
              {"encoder_no_repeat_ngram_size", 0},
              {"encoder_repetition_penalty", 1},
              {"penalty_alpha", 0},
              {"min_new_tokens", 0},
              {"exponential_decay_length_penalty", NAN},
              {"suppress_tokens", NAN},
              {"begin_suppress_tokens", NAN},
              {"forced_decoder_ids", NAN},
              {"force_words_ids", NAN},
              {"constraints", NAN}};
enum { OTHERS = sizeof others / sizeof *others };

bool at_generation_has_key(const char *key)
{
    for (int i = 0; i < OTHERS; i++)
        if (strcmp(others[i].key, key) == 0)
            return true;
    return at_choice_find(known, key) >= 0;
}

/* ---- values --------------------------------------------------------------------------------- */

/* both files, the one that counts first */
typedef struct {
    at_fields file[2];
    int count;
} both;

static at_fields *file_with(both *b, const char *key)
{
    for (int i = 0; i < b->count; i++) {
        const json_t *value = json_object_get(b->file[i].object, key);
        if (value && !json_is_null(value))
            return &b->file[i];
    }
    return &b->file[0];
}

static int whole(both *b, const char *key, int otherwise, int min, int max)
{
    return (int)at_field_int(file_with(b, key), key, otherwise, min, max);
}

static double number(both *b, const char *key, double otherwise, double min, double max)
{
    return at_field_number(file_with(b, key), key, otherwise, min, max);
}

static bool flag(both *b, const char *key) { return at_field_bool(file_with(b, key), key, false); }

static void refuse_others(both *b)
{
    for (int i = 0; i < OTHERS; i++) {
        at_fields *f = file_with(b, others[i].key);
        const json_t *value = json_object_get(f->object, others[i].key);
        bool off = !value || json_is_null(value)
                   || (isnan(others[i].off)
                           ? json_is_array(value) && !json_array_size(value)
                           : json_is_number(value) && json_number_value(value) == others[i].off);
        if (!off && isnan(others[i].off))
            at_field_fail(f, others[i].key, value, "null");
        else if (!off)
            at_field_fail(f, others[i].key, value, "%g", others[i].off);
    }
}

/* ---- sequences that must not come ----------------------------------------------------------- */

static const int *read_sequence(at_fields *f, const json_t *list, int vocabulary, at_arena *memory)
{
    size_t n = json_array_size(list);
    int *ids = n && n < BAD_MAX ? at_arena_alloc_small(memory, (n + 1) * sizeof *ids) : NULL;
    for (size_t i = 0; ids && i < n; i++) {
        const json_t *id = json_array_get(list, i);
        json_int_t value = json_is_integer(id) ? json_integer_value(id) : -1;
        if (value < 0 || value >= vocabulary)
            return NULL;
        ids[i] = (int)value;
        ids[i + 1] = -1;
    }
    if (!ids)
        at_field_fail(f, "bad_words_ids", NULL, "a list of lists of ids");
    return ids;
}

static void read_bad(both *b, at_generation *g, int vocabulary, at_arena *memory)
{
    at_fields *f = file_with(b, "bad_words_ids");
    const json_t *all = at_field_array(f, "bad_words_ids");
    size_t n = json_array_size(all);
    g->bad = n && n < BAD_MAX ? at_arena_alloc_small(memory, n * sizeof *g->bad) : NULL;
    for (size_t i = 0; g->bad && i < n && f->status >= 0; i++) {
        const int *ids = read_sequence(f, json_array_get(all, i), vocabulary, memory);
        if (!ids)
            at_field_fail(f, "bad_words_ids", NULL, "a list of lists of ids below %d", vocabulary);
        else if (ids[1] >= 0 || ids[0] != g->end) /* the end alone is never barred */
            g->bad[g->bad_count++] = ids;
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void read_all(both *b, at_generation *g, int V, at_arena *memory)
{
    *g = (at_generation){.beam = whole(b, "num_beams", 0, 1, 1000),
                         .max_length = whole(b, "max_length", 0, 2, LENGTH_MAX),
                         .max_a = whole(b, "max_len_a", 0, 0, LENGTH_MAX),
                         .max_b = whole(b, "max_len_b", 0, 0, LENGTH_MAX),
                         .min_length = whole(b, "min_length", 0, 0, LENGTH_MAX),
                         .no_repeat = whole(b, "no_repeat_ngram_size", 0, 0, LENGTH_MAX),
                         .length_penalty = number(b, "length_penalty", 1, -100, 100),
                         .repetition = number(b, "repetition_penalty", 1, 1e-3, 1e3),
                         .early = flag(b, "early_stopping"),
                         .sample = flag(b, "do_sample"),
                         .temperature = number(b, "temperature", 1, 1e-3, 1e3),
                         .top_k = whole(b, "top_k", 50, 0, LENGTH_MAX),
                         .top_p = number(b, "top_p", 1, 1e-6, 1),
                         .start = whole(b, "decoder_start_token_id",
                                        whole(b, "bos_token_id", -1, 0, V - 1), 0, V - 1),
                         .end = whole(b, "eos_token_id", -1, 0, V - 1),
                         .first = whole(b, "forced_bos_token_id", -1, 0, V - 1),
                         .last = whole(b, "forced_eos_token_id", -1, 0, V - 1),
                         .barred = -1};
    read_bad(b, g, V, memory);
    refuse_others(b);
}

attend_status at_generation_read(at_model *m, const char *folder, const json_t *config,
                                 const json_t *generation, int vocabulary, attend_error *err)
{
    char name[2][200];
    const json_t *object[2] = {generation ? generation : config, config};
    at_generation *g = at_arena_alloc_small(&m->memory, sizeof *g);
    both b = {.count = generation ? 2 : 1};
    if (!g)
        return at_error_memory(err);
    for (int i = 0; i < b.count; i++) {
        const char *file = i == 0 && generation ? "generation_config.json" : "config.json";
        snprintf(name[i], sizeof name[i], "%s/%s", at_show(folder).text, file);
        b.file[i] = at_fields_of(object[i], name[i], err);
    }
    read_all(&b, g, vocabulary, &m->memory);
    m->generation = g;
    return b.file[0].status < 0 ? b.file[0].status : b.count > 1 ? b.file[1].status : ATTEND_OK;
}
