/* The translators of the cases: presets with the sizes that the peer script has, without dropout
 * and without tokenizers.
 *
 * a        Keras' tutorial: two GRU layers of 1024, additive attention of 1024
 * b        Bahdanau: GRU 256 in both directions, additive attention of 256
 * c        Luong: two LSTM layers of 512, bilinear attention, input feeding
 * d_tiny   a Transformer of 4+4 layers of 128, post-norm
 * d_base   one of 6+6 layers of 512 */
#ifndef ATTEND_BENCH_TRANSLATORS_H
#define ATTEND_BENCH_TRANSLATORS_H

#include "bench.h"
#include "models/transformer.h"
#include "models/translator.h"

typedef struct {
    const char *name, *preset;
    int vocabulary;
    int batch, length;          /* of a training step: sentences, tokens on each side */
    const char *setting[5][2];  /* name and value */
    double source, target, out; /* multiply-adds of a token: encoder and prepared keys, decoder,
                                   output layer */
    double pair;                /* and of each pair of positions that attention compares */
} bench_translator;

static const bench_translator bench_translators[] = {
    {.name = "a",
     .preset = "keras",
     .vocabulary = 5000,
     .batch = 64,
     .length = 16,
     .setting = {{"hidden", "1024"}, {"embedding", "256"}, {"layers", "2"}, {"dropout", "0"}},
     .source = 3.0 * 1024 * 1280 + 3.0 * 1024 * 2048 + 1024.0 * 1024,
     .target = 1024.0 * 1024 + 3.0 * 1024 * 2304,
     .out = 1024.0 * 5000,
     .pair = 2.0 * 1024},
    {.name = "b",
     .preset = "bahdanau",
     .vocabulary = 8000,
     .batch = 64,
     .length = 16,
     .setting = {{"hidden", "256"}, {"embedding", "256"}, {"layers", "1"}, {"dropout", "0"}},
     .source = 6.0 * 256 * 512 + 2.0 * 256 * 256,
     .target = 256.0 * 256 + 3.0 * 256 * 1024 + 1024.0 * 256,
     .out = 256.0 * 8000,
     .pair = 3.0 * 256},
    {.name = "c",
     .preset = "luong",
     .vocabulary = 8000,
     .batch = 64,
     .length = 16,
     .setting = {{"hidden", "512"}, {"embedding", "512"}, {"layers", "2"}, {"dropout", "0"}},
     .source = 8.0 * 512 * 1024 + 512.0 * 512,
     .target = 4.0 * 512 * 1536 + 4.0 * 512 * 1024 + 2.0 * 512 * 512,
     .out = 512.0 * 8000,
     .pair = 2.0 * 512},
    {.name = "d_tiny",
     .preset = "transformer-tiny",
     .vocabulary = 8000,
     .batch = 128,
     .length = 32,
     .setting = {{"norm", "post"}, {"dropout", "0"}},
     .source = 4 * (6.0 * 128 * 128 + 2.0 * 128 * 256),
     .target = 4 * (6.0 * 128 * 128 + 2.0 * 128 * 256),
     .out = 128.0 * 8000,
     .pair = 4 * 3 * 2.0 * 128},
    {.name = "d_base",
     .preset = "transformer",
     .vocabulary = 8000,
     .batch = 64,
     .length = 32,
     .setting = {{"dropout", "0"}},
     .source = 6 * (6.0 * 512 * 512 + 2.0 * 512 * 2048),
     .target = 6 * (6.0 * 512 * 512 + 2.0 * 512 * 2048),
     .out = 512.0 * 8000,
     .pair = 6 * 3 * 2.0 * 512},
};

/* the translator whose name begins the case's: d_tiny of d_tiny_beam */
static inline const bench_translator *bench_translator_of(const char *name)
{
    const bench_translator *found = NULL;
    for (size_t i = 0; i < sizeof bench_translators / sizeof *bench_translators; i++) {
        const bench_translator *b = &bench_translators[i];
        size_t n = strlen(b->name);
        if (strncmp(b->name, name, n) == 0 && (name[n] == '\0' || name[n] == '_'))
            found = b;
    }
    return found;
}

static inline void bench_set(at_model *m, const char *name, const char *value)
{
    attend_error err;
    at_option_set set = {m->kind->options, m->settings};
    void *fields;
    const at_option *o = at_option_find(&set, 1, name, &fields);
    if (!o || at_option_assign(o, value, fields, name, &err) < 0)
        bench_die(o ? err.message : "no such setting", name);
}

static inline at_model *bench_translator_model(const bench_translator *b)
{
    attend_error err;
    const at_preset *preset = at_preset_find(b->preset, &err);
    at_model *m = preset ? at_model_new(preset->kind, 1) : NULL;
    if (!m || at_preset_settings(preset, m->settings, &err) < 0)
        bench_die(m ? err.message : "cannot be made", b->name);
    for (int i = 0; b->setting[i][0]; i++)
        bench_set(m, b->setting[i][0], b->setting[i][1]);
    if (at_model_describe(m, &err) < 0)
        bench_die(err.message, b->name);
    if (m->kind == &at_model_transformer) {
        at_transformer *net = m->net;
        net->source_vocabulary = net->target_vocabulary = b->vocabulary;
    } else {
        at_seq2seq *net = m->net;
        net->source_vocabulary = net->target_vocabulary = b->vocabulary;
    }
    return m;
}

#endif
